import { z } from 'zod';
import { environmentOf } from '../../dev/stack/environment.ts';
import { addMs, createSystemClock } from '../../src/platform/clock/clock.ts';
import { openStack, type BenchStack, type RunningApp } from '../support/open-stack.ts';
import type { Report, Table } from '../support/report.ts';
import { median } from '../support/statistics.ts';
import { insertCustomers, insertDuePlans, requireRaisedOnce } from './due-plans.ts';

const [few, many] = [1000, 10_000];
const rounds = 3;
/**
 * The number of plans for each worker before the measurement. They are one batch of the sweep,
 * which warms up its code and its connections.
 */
const warmUp = 200;

interface Case {
  readonly plans: number;
  readonly workers: number;
  /** The limit of node's old generation, in MB, or undefined for its default. */
  readonly heapLimitMb?: number;
}
const cases: readonly Case[] = [
  { plans: few, workers: 1 },
  { plans: many, workers: 1 },
  { plans: many, workers: 1, heapLimitMb: 96 },
  { plans: many, workers: 2 },
];

const figuresSchema = z.object({
  ms: z.number(),
  cpuMs: z.number(),
  statements: z.number(),
  commits: z.number(),
  peakResidentMb: z.number(),
  peakHeapMb: z.number(),
  liveBeforeMb: z.number(),
  liveAfterMb: z.number(),
});
type Figures = z.output<typeof figuresSchema>;

interface Sample extends Case {
  /** The time from the first worker's start until no worker finds a due plan. */
  readonly ms: number;
  readonly each: readonly Figures[];
}

const raise = async ({ url }: RunningApp): Promise<Figures> => {
  const response = await fetch(`${url}/raise`, { method: 'POST' });
  return figuresSchema.parse(await response.json());
};

/**
 * Creates the function that inserts due plans, lets the workers raise their installments, and
 * checks the results.
 */
const createRun = ({ addresses: { migrateUrl } }: BenchStack) => {
  let runs = 0;
  const firstCreatedAt = addMs(createSystemClock().now(), -60_000);

  return async (count: number, workers: readonly RunningApp[]) => {
    runs += 1;
    const due = { count, createdAt: addMs(firstCreatedAt, runs) };
    await insertDuePlans(migrateUrl, due);
    const startedAt = performance.now();
    const each = await Promise.all(workers.map(raise));
    const ms = performance.now() - startedAt;
    await requireRaisedOnce(migrateUrl, due);
    return { ms, each };
  };
};

const measure = async (stack: BenchStack): Promise<Sample[]> => {
  const env = { ...environmentOf('worker', stack.addresses), CLOCK_CONTROL: 'false' };
  const run = createRun(stack);
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const one of cases) {
      const limit = one.heapLimitMb;
      const options = limit === undefined ? '' : `--max-old-space-size=${limit}`;
      const own = { ...env, NODE_OPTIONS: options };
      const workers: RunningApp[] = [];
      while (workers.length < one.workers) {
        workers.push(await stack.startServer('raise-plans', own));
      }
      await run(warmUp * one.workers, workers);
      samples.push({ ...one, ...(await run(one.plans, workers)) });
      await Promise.all(workers.map((worker) => worker.kill()));
    }
  }
  return samples;
};

const sum = (each: readonly Figures[], figure: keyof Figures): number =>
  each.reduce((total, figures) => total + figures[figure], 0);
const highest = (each: readonly Figures[], figure: keyof Figures): number =>
  Math.max(...each.map((figures) => figures[figure]));

const rowOf = (samples: readonly Sample[], { plans, workers, heapLimitMb }: Case) => {
  const selected = samples.filter(
    (sample) =>
      sample.plans === plans && sample.workers === workers && sample.heapLimitMb === heapLimitMb,
  );
  const of = (figure: (sample: Sample) => number): number => median(selected.map(figure));
  return [
    plans,
    workers,
    heapLimitMb ?? 'default',
    of(({ ms }) => ms / 1000),
    of(({ ms }) => ms / plans),
    of(({ each }) => sum(each, 'cpuMs') / plans),
    of(({ each }) => sum(each, 'statements') / plans),
    of(({ each }) => highest(each, 'peakResidentMb')),
    of(({ each }) => highest(each, 'peakHeapMb')),
    of(({ each }) => highest(each, 'liveBeforeMb')),
    of(({ each }) => highest(each, 'liveAfterMb')),
  ];
};

const tableOf = (samples: readonly Sample[]): Table => ({
  title: 'medians; the aim is the same cost and memory whatever the number of plans',
  columns: [
    'plans',
    'workers',
    'heap limit',
    's in all',
    'ms each',
    'CPU ms each',
    'statements each',
    'MB at most',
    'heap at most',
    'live before',
    'live after',
  ],
  rows: cases.map((one) => rowOf(samples, one)),
});

/** Measures the worker's sweep over plans that are all due at the same time. */
export const plans = async (): Promise<Report> => {
  const stack = await openStack();
  try {
    await insertCustomers(stack.addresses.migrateUrl, many);
    const samples = await measure(stack);
    return {
      how: [
        'The sweep that raises installments, alone in a process with the environment of the worker,',
        'over monthly plans of a customer each that are due at one moment, half of them with a',
        `mandate; ${rounds} rounds, in turns, new processes each time and ${warmUp} plans before to`,
        'warm up. Each: by the number of plans. CPU and statements are those of all workers, memory',
        'is that of the larger one; live is the heap after a collection of garbage. After each run',
        'every plan has moved on once, with one gold order, payment order and notification.',
      ],
      tables: [tableOf(samples)],
      samples,
    };
  } finally {
    await stack.stop();
  }
};
