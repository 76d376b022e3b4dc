import { expect, it, vi } from 'vitest';
import { freshDatabase } from '#test/support/fresh-database.ts';
import { waitForDatabase } from './wait-for-database.ts';

/** On the first port nothing listens. */
const nowhere = 'postgres://nobody@127.0.0.1:1/nothing';

const sleepless = { sleep: () => Promise.reject(new Error('slept')) };

it('the migration tries again until the time is over, and says why it waits', async () => {
  const lines: string[] = [];
  // Only the waits take time.
  let [nowMs, slept] = [1000, 0];
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const timers = {
    sleep: async (ms: number) => {
      nowMs += ms;
      slept += 1;
    },
  };
  const log = (line: string): void => {
    lines.push(line);
  };
  const options = { url: nowhere, seconds: 2.5, timers, log };
  await expect(waitForDatabase(options)).rejects.toThrow('ECONNREFUSED');
  expect(slept).toBe(3);
  expect(lines[0]).toContain('waiting for the database: connect ECONNREFUSED');
});

it('the migration goes on as soon as the database answers', async () => {
  const fresh = await freshDatabase();
  const options = { url: fresh.appUrl, seconds: 5, timers: sleepless, log: () => {} };
  await expect(waitForDatabase(options)).resolves.toBeUndefined();
  await fresh.drop();
});
