import { expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { sql } from './index.ts';
import type { Snapshot } from './read-snapshot.ts';

const database = databaseOfFile(1);

const read = <T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> =>
  database().readSnapshot(work, new AbortController().signal);

const impatient = sql`SELECT set_config('statement_timeout', '200', true)`;

it('a snapshot reads all batches, however much longer they take than one answer may', async () => {
  const numbers = await read(async (snapshot) => {
    await snapshot.first(impatient);
    const query = sql`SELECT n, pg_sleep(0.05) FROM generate_series(1, 20) AS n`;
    const seen: (string | null | undefined)[] = [];
    for await (const rows of snapshot.batches(query, 4)) seen.push(...rows.map(([n]) => n));
    return seen;
  });
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => String(at + 1)));
});

it('a snapshot gives up on one answer that takes too long', async () => {
  const late = read(async (snapshot) => {
    await snapshot.first(impatient);
    return snapshot.first(sql`SELECT pg_sleep(60)`);
  });
  await expect(late).rejects.toThrow('statement timeout');
});
