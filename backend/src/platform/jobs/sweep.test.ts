import { expect, it } from 'vitest';
import { sweepRows } from './sweep.ts';

const live = (): AbortSignal => new AbortController().signal;

it('goes on past rows that fail or can not be helped, and sends those to the back', async () => {
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

it('stops between two rows when it is told to', async () => {
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
