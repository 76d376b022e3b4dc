import { expect, it } from 'vitest';
import { createPurgeSweep } from './purge-sweep.ts';

/** A table of so many rows that may go, deleted from in batches. */
const openTable = (rows: number) => {
  const batches: number[] = [];
  const counted: [string, number][] = [];
  let left = rows;
  const sweep = (onBatch: () => void = () => {}) =>
    createPurgeSweep({
      name: 'purge-things',
      everyMs: 1000,
      batchSize: 10,
      metrics: { countPurged: (name, count) => counted.push([name, count]) },
      deleteBatch: async (limit) => {
        const count = Math.min(limit, left);
        left -= count;
        batches.push(count);
        onBatch();
        return count;
      },
    });
  return { sweep, batches, counted, left: () => left };
};

it('deletes in batches until nothing is left, and counts what went', async () => {
  const table = openTable(25);
  await table.sweep().run(new AbortController().signal);
  expect(table.batches).toEqual([10, 10, 5]);
  expect(table.counted).toEqual([
    ['purge-things', 10],
    ['purge-things', 10],
    ['purge-things', 5],
  ]);
});

it('stops between two batches when the process stops', async () => {
  const table = openTable(25);
  const stopping = new AbortController();
  await table.sweep(() => stopping.abort()).run(stopping.signal);
  expect(table.left()).toBe(15);
});
