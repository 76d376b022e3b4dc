import { expect, it } from 'vitest';
import { CIRCUIT_OPEN } from '../../platform/http-client/index.ts';
import { done, refused, unknown } from '../../platform/outcome/outcome.ts';
import { createGate } from '#test/support/gate.ts';
import { fetchEach, toFetched } from './fetch-each.ts';

const items = Array.from({ length: 10 }, (_, index) => index);
const limits = { maxRequests: 100, concurrency: 3, withinMs: 60_000 };

it('the fetch queries all items, a few at a time', async () => {
  const gate = createGate();
  let [concurrent, maximum] = [0, 0];
  const { answers, incomplete } = await fetchEach({ items, total: 10 }, limits, async (item) => {
    concurrent += 1;
    maximum = Math.max(maximum, concurrent);
    if (concurrent === limits.concurrency) gate.open();
    await gate.opened;
    concurrent -= 1;
    return { answer: item * 2 };
  });
  expect(maximum).toBe(3);
  expect(answers.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual(items);
  expect(answers.every(({ item, answer }) => answer === item * 2)).toBe(true);
  expect(incomplete).toBeUndefined();
});

it('the fetch stops after a request without an answer, and keeps the earlier answers', async () => {
  const queried: number[] = [];
  const fetched = await fetchEach(
    { items, total: 10 },
    { ...limits, concurrency: 1 },
    async (item) => {
      queried.push(item);
      return item === 4 ? 'there is no answer' : { answer: item };
    },
  );
  expect(queried).toEqual([0, 1, 2, 3, 4]);
  expect(fetched.answers.map(({ item }) => item)).toEqual([0, 1, 2, 3]);
  expect(fetched.incomplete).toBe('there is no answer');
});

it.each([
  ['requests', { ...limits, maxRequests: 4 }, 10, 'checked 4 of 10: choose a shorter window'],
  ['rows', limits, 500, 'checked 10 of 500: choose a shorter window'],
])(
  'the fetch says how many items were checked if there are more than its limits allow: %s',
  async (_case, limit, total, incomplete) => {
    const fetched = await fetchEach({ items, total }, limit, async (item) => ({ answer: item }));
    expect(fetched.incomplete).toBe(incomplete);
  },
);

it('the fetch starts no further request after its time limit', async () => {
  const limit = { ...limits, concurrency: 1, withinMs: -1 };
  const fetched = await fetchEach({ items, total: 10 }, limit, async (item) => ({ answer: item }));
  expect(fetched.answers).toHaveLength(1);
  expect(fetched.incomplete).toBe('checked 1 of 10: choose a shorter window');
});

it('the fetch distinguishes answers, refusals that are answers, other refusals and no answer', () => {
  const read = {
    onDone: (value: number) => value,
    onRefused: (code: string) => (code === 'NONE' ? 0 : undefined),
  };
  expect(toFetched('x', done(5), read)).toEqual({ answer: 5 });
  expect(toFetched('x', refused('NONE', 'there is none'), read)).toEqual({ answer: 0 });
  expect(toFetched('x', refused('OTHER', 'no'), read)).toBe('x cannot be queried: OTHER');
  expect(toFetched('x', refused(CIRCUIT_OPEN, 'left alone'), read)).toBe(
    `x cannot be queried: ${CIRCUIT_OPEN}`,
  );
  expect(toFetched('x', unknown('HTTP_500'), read)).toBe('x gave no answer: HTTP_500');
});
