import { longRunning } from '../dev/stack/environment.ts';
import { createTimers } from '../src/platform/clock/timers.ts';
import { openStack, type BenchStack, type RunningApp } from './support/open-stack.ts';
import { residentMbOf } from './support/process-usage.ts';
import type { Report } from './support/report.ts';
import { median } from './support/statistics.ts';

const rounds = 5;
const settleMs = 3000;
const floor = 'bare Express';
const timers = createTimers();

interface Figures {
  readonly readyMs: number;
  readonly residentMb: number;
}

const measure = async (start: () => Promise<RunningApp>): Promise<Figures> => {
  const started = await start();
  await timers.sleep(settleMs);
  const residentMb = residentMbOf(started.pid);
  await started.kill();
  return { readyMs: started.readyMs, residentMb };
};

/** Measures one process after the other, including the floor, and repeats this in each round. */
const measureAll = async (stack: BenchStack): Promise<Map<string, Figures[]>> => {
  const all = new Map<string, Figures[]>();
  const starts = new Map<string, () => Promise<RunningApp>>([
    [floor, () => stack.startServer('bare-express')],
    ...longRunning.map((app) => [app, () => stack.start(app)] as const),
  ]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, start] of starts) {
      all.set(name, [...(all.get(name) ?? []), await measure(start)]);
    }
  }
  return all;
};

/** Measures the start-up time and the memory at rest of each process, beside a bare one. */
export const processFigures = async (): Promise<Report> => {
  const stack = await openStack();
  try {
    const all = await measureAll(stack);
    const of = (name: string, figure: keyof Figures): number =>
      median((all.get(name) ?? []).map((figures) => figures[figure]));
    const rows = [...all.keys()].map((name) => {
      const [readyMs, residentMb] = [of(name, 'readyMs'), of(name, 'residentMb')];
      const [floorMs, floorMb] = [of(floor, 'readyMs'), of(floor, 'residentMb')];
      return [name, readyMs, readyMs / floorMs, residentMb, residentMb / floorMb];
    });
    return {
      how: [
        `Each process ${rounds} times, one at a time, in turns with node and Express that only`,
        'listen. Ready: from the spawn until the readiness probe says so (database, migrations',
        `and cache asked). Memory: resident set ${settleMs / 1000} s after that, without a request.`,
      ],
      tables: [
        {
          title: 'medians',
          columns: ['process', 'ready ms', 'x floor', 'memory MB', 'x floor'],
          rows,
        },
      ],
      samples: Object.fromEntries(all),
    };
  } finally {
    await stack.stop();
  }
};
