import { withConnection } from '../../dev/stack/database-setup.ts';

/** Takes everything out of a database, as its owner: schema, rows and job queue. */
export const emptyDatabase = (migrateUrl: string): Promise<void> =>
  withConnection(migrateUrl, async (client) => {
    await client.query('DROP SCHEMA IF EXISTS graphile_worker CASCADE');
    await client.query('DROP SCHEMA public CASCADE');
    await client.query('CREATE SCHEMA public');
  });
