import type { Table } from '../support/report.ts';
import { median, medianRatio } from '../support/statistics.ts';
import type { Distance } from './open-buy-benchmark.ts';
import type { TogetherResult } from './run-together.ts';

export interface Sample extends TogetherResult {
  readonly side: string;
  readonly distance: Distance;
  readonly concurrency: number;
}

const words = { near: 'beside it', away: '1 ms away' } as const;

/**
 * The aim for the time of a buy, as a multiple of the time of the bare SQL. The goal is stricter.
 */
const aim = 2;
const goal = 1.5;

/** Returns the times of the sides at one concurrency, and the ratio of the first side to each. */
export const tableOf = (
  samples: readonly Sample[],
  distance: Distance,
  concurrency: number,
): Table => {
  const selected = samples.filter(
    (sample) => sample.concurrency === concurrency && sample.distance === distance,
  );
  const names = [...new Set(selected.map(({ side }) => side))];
  const of = (side: string): number[] =>
    selected.filter((sample) => sample.side === side).map(({ msEach }) => msEach);
  const [buy = ''] = names;
  const rows = names.map((side) => {
    const p50 = selected.filter((sample) => sample.side === side).map(({ p50Ms }) => p50Ms);
    const each = median(of(side));
    return [side, each, 1000 / each, median(p50), medianRatio(of(buy), of(side))];
  });
  return {
    title:
      `${concurrency} at a time, the database ${words[distance]}; ` +
      `aim: within ${aim} x the SQL by the client, goal ${goal} x`,
    columns: ['', 'ms each', 'a second', 'p50 ms', 'a buy is x'],
    rows,
  };
};
