import { defineVariables } from '../../platform/config/config.ts';
import { integer, plainStores, text } from '../../platform/config/kinds.ts';

export const migrateVariables = defineVariables({
  MIGRATE_DATABASE_URL: {
    schema: text(),
    doc: 'the database, as the role that owns the schema',
    secret: true,
    store: 'database',
  },
  ALLOW_PLAIN_STORES: plainStores,
  MIGRATE_WAIT_SECONDS: {
    schema: integer(60, 0, 3600),
    doc: 'how long to wait for the database to answer',
  },
});
