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

/** Within this many times the time of the bare SQL is the aim, and the goal beyond it. */
const aim = 2;
const goal = 1.5;

/** The sides at one concurrency, each beside the first bare one, and the first beside each. */
export const tableOf = (
  samples: readonly Sample[],
  distance: Distance,
  concurrency: number,
): Table => {
  const here = samples.filter(
    (sample) => sample.concurrency === concurrency && sample.distance === distance,
  );
  const names = [...new Set(here.map(({ side }) => side))];
  const of = (side: string): number[] =>
    here.filter((sample) => sample.side === side).map(({ msEach }) => msEach);
  const [buy = ''] = names;
  const rows = names.map((side) => {
    const p50 = here.filter((sample) => sample.side === side).map(({ p50Ms }) => p50Ms);
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
