import { expect, it } from 'vitest';
import { CIRCUIT_OPEN } from '../../platform/http-client/index.ts';
import { done, refused, unknown } from '../../platform/outcome/outcome.ts';
import { createGate } from '#test/support/gate.ts';
import { fetchEach, toFetched } from './fetch-each.ts';

const items = Array.from({ length: 10 }, (_, index) => index);
const limits = { most: 100, concurrency: 3, withinMs: 60_000 };

it('the fetch asks about all, a few at a time', async () => {
  const gate = createGate();
  let [now, most] = [0, 0];
  const asking = fetchEach({ items, total: 10 }, limits, async (item) => {
    now += 1;
    most = Math.max(most, now);
    if (now === limits.concurrency) gate.open();
    await gate.opened;
    now -= 1;
    return { answer: item * 2 };
  });
  const { answers, incomplete } = await asking;
  expect(most).toBe(3);
  expect(answers.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual(items);
  expect(answers.every(({ item, answer }) => answer === item * 2)).toBe(true);
  expect(incomplete).toBeUndefined();
});

it('the fetch leaves one alone that gives no answer, and keeps the answers until then', async () => {
  const asked: number[] = [];
  const round = await fetchEach(
    { items, total: 10 },
    { ...limits, concurrency: 1 },
    async (item) => {
      asked.push(item);
      return item === 4 ? 'nobody answers' : { answer: item };
    },
  );
  expect(asked).toEqual([0, 1, 2, 3, 4]);
  expect(round.answers.map(({ item }) => item)).toEqual([0, 1, 2, 3]);
  expect(round.incomplete).toBe('nobody answers');
});

it.each([
  ['questions', { ...limits, most: 4 }, 10, 'checked 4 of 10: choose a shorter window'],
  ['rows', limits, 500, 'checked 10 of 500: choose a shorter window'],
])(
  'the fetch says when there are more than it may ask about: %s',
  async (_what, limit, total, incomplete) => {
    const round = await fetchEach({ items, total }, limit, async (item) => ({ answer: item }));
    expect(round.incomplete).toBe(incomplete);
  },
);

it('the fetch begins no further question when its time is over', async () => {
  const limit = { ...limits, concurrency: 1, withinMs: -1 };
  const round = await fetchEach({ items, total: 10 }, limit, async (item) => ({ answer: item }));
  expect(round.answers).toHaveLength(1);
  expect(round.incomplete).toBe('checked 1 of 10: choose a shorter window');
});

it('the fetch tells answers, understood refusals and silence apart', () => {
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
