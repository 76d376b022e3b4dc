import { expect, it } from 'vitest';
import { sweepRows, createPurgeSweep } from './sweep.ts';

const live = (): AbortSignal => new AbortController().signal;

it('a sweep goes on past rows that fail or cannot be helped, and sends those to the back', async () => {
  const [handled, postponed, errors]: [string[], string[], string[]] = [[], [], []];
  const helped = await sweepRows({
    rows: ['good', 'silent', 'broken', 'late'],
    signal: live(),
    handle: async (row) => {
      handled.push(row);
      if (row === 'broken') throw new Error('no answer');
      return row !== 'silent';
    },
    postpone: async (row) => {
      postponed.push(row);
    },
    onError: (_error, row) => errors.push(row),
  });
  expect(helped).toBe(2);
  expect(handled).toEqual(['good', 'silent', 'broken', 'late']);
  expect(postponed).toEqual(['silent', 'broken']);
  expect(errors).toEqual(['broken']);
});

it('a sweep stops between two rows when it is told to', async () => {
  const stopping = new AbortController();
  const handled: number[] = [];
  await sweepRows({
    rows: [1, 2, 3],
    signal: stopping.signal,
    handle: async (row) => {
      handled.push(row);
      if (row === 2) stopping.abort();
      return true;
    },
    onError: () => {},
  });
  expect(handled).toEqual([1, 2]);
});

it('a sweep goes on past a row that cannot be postponed either', async () => {
  const [handled, errors]: [number[], unknown[]] = [[], []];
  await sweepRows({
    rows: [1, 2],
    signal: live(),
    handle: async (row) => {
      handled.push(row);
      return false;
    },
    postpone: async (row) => {
      throw new Error(`row ${row} is locked`);
    },
    onError: (error) => errors.push(error),
  });
  expect(handled).toEqual([1, 2]);
  expect(errors).toEqual([new Error('row 1 is locked'), new Error('row 2 is locked')]);
});

/** Lists two of these rows at a time, and begins after the one that is given. */
const pairsOf =
  (rows: readonly number[]) =>
  async (after = 0): Promise<number[]> =>
    rows.filter((row) => row > after).slice(0, 2);

it('a sweep goes on after the last row it saw, whatever became of it, to the end of the list', async () => {
  const handled: number[] = [];
  const helped = await sweepRows({
    rows: pairsOf([1, 2, 3, 4, 5]),
    signal: live(),
    handle: async (row) => {
      handled.push(row);
      if (row === 1) throw new Error('broken');
      return row > 3;
    },
    onError: () => {},
  });
  expect(handled).toEqual([1, 2, 3, 4, 5]);
  expect(helped).toBe(2);
});

it('a sweep lists no further batch when it is told to stop', async () => {
  const stopping = new AbortController();
  const handled: number[] = [];
  await sweepRows({
    rows: pairsOf([1, 2, 3, 4, 5]),
    signal: stopping.signal,
    handle: async (row) => {
      handled.push(row);
      if (row === 3) stopping.abort();
      return true;
    },
    onError: () => {},
  });
  expect(handled).toEqual([1, 2, 3]);
});

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

it('a sweep deletes in batches until nothing is left, and counts what went', async () => {
  const table = openTable(25);
  await table.sweep().run(new AbortController().signal);
  expect(table.batches).toEqual([10, 10, 5]);
  expect(table.counted).toEqual([
    ['purge-things', 10],
    ['purge-things', 10],
    ['purge-things', 5],
  ]);
});

it('a sweep stops between two batches when the process stops', async () => {
  const table = openTable(25);
  const stopping = new AbortController();
  await table.sweep(() => stopping.abort()).run(stopping.signal);
  expect(table.left()).toBe(15);
});
