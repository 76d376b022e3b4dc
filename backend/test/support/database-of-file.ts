import { createDatabase, type Database } from '../../src/platform/db/index.ts';
import { freshDatabase, type FreshDatabase } from './fresh-database.ts';
import { openedOnce } from './opened-once.ts';

interface DatabaseOfFile extends Database {
  readonly fresh: FreshDatabase;
}

/**
 * Opens a fresh database before a test file's first test and closes it after the last. Returns the
 * function by which the tests and their helpers reach it.
 */
export const databaseOfFile = (poolSize = 5): (() => DatabaseOfFile) =>
  openedOnce(async () => {
    const fresh = await freshDatabase();
    const database = createDatabase({ url: fresh.databaseUrl, poolSize, applicationName: 'test' });
    return {
      ...database,
      fresh,
      async close() {
        await database.close();
        await fresh.drop();
      },
    };
  });
