import { z } from 'zod';
import { callTestServers } from './call-test-servers.ts';

const addressesSchema = z.object({
  name: z.string(),
  databaseUrl: z.string(),
  migrateUrl: z.string(),
  redisUrl: z.string(),
});

export interface FreshDatabase {
  readonly name: string;
  /** As the application's role, `dgs_app`. */
  readonly databaseUrl: string;
  /** The same as `databaseUrl`. */
  readonly appUrl: string;
  /** As the owner of the tables, `dgs_migrate`. */
  readonly migrateUrl: string;
  /** An empty Redis that no other test file uses. */
  readonly redisUrl: string;
  /** Gives both back. Clients that are still connected are cut off. */
  drop(): Promise<void>;
}

interface FreshDatabaseOptions {
  /** True for the seed of `make up`: accounts of every role, open gates, a catalogue. */
  readonly seeded?: boolean;
}

/**
 * A migrated, empty database and an empty Redis for the calling test file alone. What is not
 * dropped goes with the run.
 */
export const freshDatabase = async (options: FreshDatabaseOptions = {}): Promise<FreshDatabase> => {
  const kind = options.seeded === true ? 'seeded' : 'empty';
  const addresses = addressesSchema.parse(await callTestServers('POST', `/databases/${kind}`));
  return {
    ...addresses,
    appUrl: addresses.databaseUrl,
    async drop() {
      await callTestServers('DELETE', `/databases/${addresses.name}`);
    },
  };
};
