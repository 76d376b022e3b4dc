import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger, makeWorkerUtils } from 'graphile-worker';
import { Client } from 'pg';

const silent = new Logger(() => () => {});

const runGrants = async (url: string, folder: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(await readFile(join(folder, 'queue', 'grants.sql'), 'utf8'));
  } finally {
    await client.end();
  }
};

/**
 * Brings the job queue's own schema up to its version, then runs `queue/grants.sql` of `folder`:
 * the application role's rights in it, and the view of dead jobs. Repeatable.
 */
export const installQueue = async (url: string, folder: string): Promise<void> => {
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 2, logger: silent });
  try {
    await utils.migrate();
  } finally {
    await utils.release();
  }
  await runGrants(url, folder);
};
