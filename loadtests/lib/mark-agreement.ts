import type { HeardTick } from './feed-log.ts';
import type { MarkView, SummaryData, Verdict } from './report.types.ts';

/**
 * Names the k6 trends that collect the seq, the price and the lateness of each mark. k6's virtual
 * users share no memory, so the ticks of different sockets can be compared only in k6's summary.
 */
export const markMetrics = ['mark_seq', 'mark_price', 'mark_lateness'] as const;

const keyOf = (metric: (typeof markMetrics)[number], slot: number): string =>
  `${metric}{mark:${slot}}`;

/**
 * Returns thresholds that always pass. They are needed because k6 reports the values of a tag only
 * if a threshold names the tag.
 */
export const markThresholds = (slots: number): Record<string, string[]> =>
  Object.fromEntries(
    Array.from({ length: slots }, (_, slot) => slot).flatMap((slot) =>
      markMetrics.map((metric) => [keyOf(metric, slot), ['min>-100000']]),
    ),
  );

/**
 * Hashes the amounts of a tick to a number, since a k6 trend takes only numbers. Different amounts
 * rarely have the same hash.
 */
export const priceNumber = ({ amounts }: Pick<HeardTick, 'amounts'>): number => {
  let hash = 0x81_1c_9d_c5;
  for (const character of amounts) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93) >>> 0;
  }
  return hash;
};

/**
 * Reads the ticks that the sockets received at each mark from k6's summary. Leaves out a mark at
 * which no socket received a tick.
 */
export const readMarks = (
  { metrics }: SummaryData,
  { firstMarkMs, tickMs, slots }: { firstMarkMs: number; tickMs: number; slots: number },
): MarkView[] =>
  Array.from({ length: slots }, (_, slot) => slot).flatMap((slot) => {
    const [seq, price, late] = markMetrics.map((metric) => metrics[keyOf(metric, slot)]?.values);
    if (seq === undefined || price === undefined || (seq['count'] ?? 0) === 0) return [];
    return {
      markMs: firstMarkMs + slot * tickMs,
      seq: [seq['min'] ?? 0, seq['max'] ?? 0],
      price: [price['min'] ?? 0, price['max'] ?? 0],
      heardMs: [late?.['min'] ?? 0, late?.['p(99)'] ?? 0],
      sockets: seq['count'] ?? 0,
    };
  });

/** Returns the time from a tick's arrival at the first socket until 99 % of the sockets have it. */
export const spreadOf = ({ heardMs: [first, p99] }: Pick<MarkView, 'heardMs'>): number =>
  p99 - first;

type Range = readonly [number, number];

const joinRanges = (one: Range, other: Range): Range => [
  Math.min(one[0], other[0]),
  Math.max(one[1], other[1]),
];

/**
 * Joins the marks of several k6 processes of the same run. The highest 99th percentile of the
 * processes counts, because by then 99 % of the sockets of each process, and so of all, have the
 * tick.
 */
export const joinMarks = (parts: readonly (readonly MarkView[])[]): MarkView[] => {
  const joined = new Map<number, MarkView>();
  for (const view of parts.flat()) {
    const other = joined.get(view.markMs);
    const joinedView =
      other === undefined
        ? view
        : {
            markMs: view.markMs,
            seq: joinRanges(other.seq, view.seq),
            price: joinRanges(other.price, view.price),
            heardMs: joinRanges(other.heardMs, view.heardMs),
            sockets: other.sockets + view.sockets,
          };
    joined.set(view.markMs, joinedView);
  }
  return [...joined.values()].toSorted((one, other) => one.markMs - other.markMs);
};

const verdict = (threshold: string, says: string, passed: number, all: number): Verdict => ({
  threshold,
  says,
  part: '',
  ok: all > 0 && passed === all,
  observed: all === 0 ? 'never observed' : `${passed} of ${all} marks`,
  values: { passes: passed, fails: all - passed },
});

/**
 * Checks that all sockets received the same seq and price at a mark, that the seq grows by one from
 * mark to mark, and that a tick reaches 99 % of the sockets in less than `spreadP99Ms` after the first.
 */
export const judgeMarks = (marks: readonly MarkView[], spreadP99Ms?: number): Verdict[] => {
  const count = (holds: (mark: MarkView, index: number) => boolean): number =>
    marks.filter(holds).length;
  const all = marks.length;
  const worst = Math.round(Math.max(0, ...marks.map(spreadOf)));
  return [
    verdict(
      'mark_seq min==max',
      'all sockets got the same seq at a mark',
      count(({ seq }) => seq[0] === seq[1]),
      all,
    ),
    verdict(
      'mark_price min==max',
      'all sockets got the same price at a mark',
      count(({ price }) => price[0] === price[1]),
      all,
    ),
    verdict(
      'mark_seq +1',
      'the seq of a mark is the one after the mark before',
      count(({ seq }, index) => index === 0 || seq[0] === (marks[index - 1]?.seq[1] ?? 0) + 1),
      all,
    ),
    {
      threshold: `mark_lateness p(99)-min${spreadP99Ms === undefined ? '' : `<${spreadP99Ms}`}`,
      says: 'a tick reaches 99 of 100 sockets soon after the first',
      part: '',
      ok: all > 0 && (spreadP99Ms === undefined || worst < spreadP99Ms),
      observed: `${worst} ms at most`,
      values: { max: worst },
    },
  ];
};
