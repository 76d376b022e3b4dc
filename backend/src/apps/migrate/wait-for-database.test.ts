import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freshDatabase } from '#test/support/fresh-database.ts';
import { waitForDatabase } from './wait-for-database.ts';

/** A port that nothing listens on. */
const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
};

const sleepless = { sleep: () => Promise.reject(new Error('slept')) };

it('tries again until the time is over, and says why it waits', async () => {
  const url = `postgres://nobody@127.0.0.1:${await closedPort()}/nothing`;
  const lines: string[] = [];
  let slept = 0;
  const timers = {
    sleep: async () => {
      slept += 1;
    },
  };
  const log = (line: string): void => {
    lines.push(line);
  };
  await expect(waitForDatabase({ url, seconds: 0.2, timers, log })).rejects.toThrow('ECONNREFUSED');
  expect(slept).toBeGreaterThan(1);
  expect(lines[0]).toContain('waiting for the database: connect ECONNREFUSED');
});

it('goes on as soon as the database answers', async () => {
  const fresh = await freshDatabase();
  const options = { url: fresh.appUrl, seconds: 5, timers: sleepless, log: () => {} };
  await expect(waitForDatabase(options)).resolves.toBeUndefined();
  await fresh.drop();
});
