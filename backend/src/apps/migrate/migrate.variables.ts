import { defineVariables } from '../../platform/config/config.ts';
import { databasePartVariables } from '../../platform/config/database-address.ts';
import { directAddress, integer, plainStores, text } from '../../platform/config/kinds.ts';

const { DATABASE_HOST, DATABASE_PORT, DATABASE_NAME, DATABASE_SSLMODE, DATABASE_CA_FILE } =
  databasePartVariables;

export const migrateVariables = defineVariables({
  MIGRATE_DATABASE_URL: {
    schema: directAddress(),
    doc: 'the database, as the role that owns the schema; no pooler in transaction mode',
    secret: true,
    store: 'database',
  },
  DATABASE_HOST,
  DATABASE_PORT,
  DATABASE_NAME,
  DATABASE_SSLMODE,
  DATABASE_CA_FILE,
  MIGRATE_DATABASE_USER: {
    schema: text().optional(),
    doc: 'the role that owns the schema, beside DATABASE_HOST',
  },
  MIGRATE_DATABASE_PASSWORD: {
    schema: text().optional(),
    doc: 'password of the role that owns the schema, beside DATABASE_HOST',
    secret: true,
  },
  ALLOW_PLAIN_STORES: plainStores,
  MIGRATE_WAIT_SECONDS: {
    schema: integer(60, 0, 3600),
    doc: 'how long to wait for the database to answer',
  },
});
