import { expect, it } from 'vitest';
import { joinMarks, judgeMarks, priceNumber, readMarks } from './mark-agreement.ts';
import type { MarkView } from './report.types.ts';

const mark = (markMs: number, seq: number, change: Partial<MarkView> = {}): MarkView => ({
  markMs,
  seq: [seq, seq],
  price: [7, 7],
  heardMs: [5, 25],
  sockets: 3,
  ...change,
});

const failedOf = (marks: readonly MarkView[], spreadMs?: number): string[] =>
  judgeMarks(marks, spreadMs)
    .filter(({ ok }) => !ok)
    .map(({ threshold }) => threshold);

const trend = (low: number, high: number) => ({
  type: 'trend',
  values: { min: low, max: high, 'p(99)': high, count: 3 },
});

it('takes marks whose sockets agree, and whose seq goes on over one without a tick', () => {
  expect(failedOf([mark(10_000, 4), mark(20_000, 5), mark(40_000, 6)], 21)).toEqual([]);
});

it.each([
  ['two numbers at a mark', [mark(10_000, 4, { seq: [4, 5] })], ['mark_seq min==max']],
  ['two prices at a mark', [mark(10_000, 4, { price: [7, 8] })], ['mark_price min==max']],
  ['a number left out', [mark(10_000, 4), mark(20_000, 6)], ['mark_seq +1']],
  ['a number twice', [mark(10_000, 4), mark(20_000, 4)], ['mark_seq +1']],
  [
    'a tick that spreads slowly',
    [mark(10_000, 4, { heardMs: [5, 106] })],
    ['mark_lateness p(99)-min<100'],
  ],
])('refuses %s', (_what, marks, threshold) => {
  expect(failedOf(marks, 100)).toEqual(threshold);
});

it('is not content with nothing', () => {
  expect(failedOf([])).toHaveLength(4);
});

it('joins what two processes heard, by the mark', () => {
  const one = [mark(10_000, 4), mark(20_000, 5)];
  const other = [mark(20_000, 5, { price: [6, 6], heardMs: [9, 30] }), mark(30_000, 6)];
  expect(joinMarks([one, other])).toEqual([
    mark(10_000, 4),
    mark(20_000, 5, { price: [6, 7], heardMs: [5, 30], sockets: 6 }),
    mark(30_000, 6),
  ]);
});

it('reads the marks that were heard from the summary', () => {
  const data = {
    state: { testRunDurationMs: 1 },
    metrics: {
      'mark_seq{mark:1}': trend(4, 5),
      'mark_price{mark:1}': trend(7, 7),
      'mark_lateness{mark:1}': trend(12, 40),
      'mark_seq{mark:2}': { type: 'trend', values: { count: 0 } },
      'mark_price{mark:2}': { type: 'trend', values: { count: 0 } },
    },
  };
  expect(readMarks(data, { firstMarkMs: 10_000, tickMs: 1000, slots: 3 })).toEqual([
    { markMs: 11_000, seq: [4, 5], price: [7, 7], heardMs: [12, 40], sockets: 3 },
  ]);
});

it('makes one number of amounts, and others of others', () => {
  const numbers = ['1 2 3', '1 2 3', '1 3 2', '12 3'].map((amounts) => priceNumber({ amounts }));
  expect(numbers[0]).toBe(numbers[1]);
  expect(new Set(numbers).size).toBe(3);
});
