import { tickEveryMs } from '../../src/modules/price/price.types.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { openStack, type BenchStack, type RunningApp } from '../support/open-stack.ts';
import type { Report } from '../support/report.ts';
import { median, quantile } from '../support/statistics.ts';
import { findLeader } from './find-leader.ts';
import { listen, type HeardTick, type Listeners } from './listen.ts';

const socketsEach = 25;
const takeovers = 3;
/**
 * The time before a mark at which the leader is killed. It is short enough that no other worker
 * makes this tick on time.
 */
const killBeforeMarkMs = 1000;
/** The time limit for the replacement of a killed leader. */
const takeoverLimitMs = 15_000;

const clock = createSystemClock();
const timers = createTimers();

const sinceMark = (atMs: number): number => atMs % tickEveryMs;

const groupBy = (
  heard: readonly HeardTick[],
  keyOf: (tick: HeardTick) => number | string,
): HeardTick[][] => {
  const groups = new Map<number | string, HeardTick[]>();
  for (const tick of heard) groups.set(keyOf(tick), [...(groups.get(keyOf(tick)) ?? []), tick]);
  return [...groups.values()];
};

/** Counts the numbers between a socket's first and last tick that are missing or repeated. */
const gapsOf = (heard: readonly HeardTick[]): number => {
  const bySocket = groupBy(heard, ({ socket }) => socket);
  return bySocket.reduce((gaps, ticks) => {
    const seqs = ticks.map(({ seq }) => seq);
    const expected = Math.max(...seqs) - Math.min(...seqs) + 1;
    return gaps + Math.abs(expected - seqs.length);
  }, 0);
};

const listenFor = async (listeners: Listeners, ticks: number): Promise<HeardTick[]> => {
  const from = listeners.heard.length;
  for (let count = 0; count < ticks; count += 1) {
    await listeners.nextTick(2 * tickEveryMs);
    // In this time every socket receives the tick.
    await timers.sleep(tickEveryMs / 4);
  }
  return listeners.heard.slice(from);
};

interface Takeover {
  /** The time from the kill to the first tick of the new leader. */
  readonly ms: number;
  /** The time from the tick's 10 s mark to its arrival. */
  readonly lateMs: number;
}

const killLeader = async (leader: RunningApp, listeners: Listeners): Promise<Takeover> => {
  const wait = tickEveryMs - killBeforeMarkMs - sinceMark(clock.now().getTime());
  await timers.sleep(Math.max(0, wait));
  const killedAtMs = clock.now().getTime();
  const [tick] = await Promise.all([listeners.nextTick(60_000), leader.kill('SIGKILL')]);
  return { ms: tick.atMs - killedAtMs, lateMs: sinceMark(tick.atMs) };
};

const measureTakeovers = async (
  stack: BenchStack,
  first: readonly RunningApp[],
  listeners: Listeners,
): Promise<Takeover[]> => {
  let workers = first;
  const measured: Takeover[] = [];
  for (let count = 0; count < takeovers; count += 1) {
    const leader = await findLeader(workers, async () => {
      await listeners.nextTick(2 * tickEveryMs);
      await timers.sleep(tickEveryMs / 10);
    });
    measured.push(await killLeader(leader, listeners));
    const replacement = await stack.start('worker');
    workers = [...workers.filter((worker) => worker !== leader), replacement];
  }
  return measured;
};

const distribution = (samples: readonly number[]): number[] => [
  quantile(samples, 0.5),
  quantile(samples, 0.95),
  Math.max(...samples),
];

/** Makes the report. `all` has every received tick, including those during the takeovers. */
const reportOf = (
  ticks: number,
  heard: readonly HeardTick[],
  takeoverList: readonly Takeover[],
  all: readonly HeardTick[],
) => {
  const late = heard.map(({ atMs }) => sinceMark(atMs));
  const byReplica = groupBy(heard, ({ replica }) => replica);
  const columns = ['', 'p50', 'p95', 'max', 'limit'];
  return {
    how: [
      `Two workers, two replicas of the customer API, ${socketsEach} sockets on each replica.`,
      `Lateness: when a socket heard one of ${ticks} ticks, after its 10 s mark of the clock.`,
      `Takeover: ${takeovers} times the leader is killed (SIGKILL) ${killBeforeMarkMs / 1000} s`,
      'before a mark, until a socket hears the tick that the new leader makes up.',
    ],
    tables: [
      {
        title: 'ms',
        columns,
        rows: [
          ...byReplica.map((of, at) => [
            `lateness, replica ${at + 1}`,
            ...distribution(of.map(({ atMs }) => sinceMark(atMs))),
            '',
          ]),
          ['lateness, all', ...distribution(late), ''],
          ['takeover', ...distribution(takeoverList.map(({ ms }) => ms)), takeoverLimitMs],
        ],
      },
      {
        title: 'numbers of the ticks across the fleet and the takeovers',
        columns: ['', 'count', 'limit'],
        rows: [
          ['heard', all.length, ''],
          ['different', new Set(all.map(({ seq }) => seq)).size, ''],
          ['gaps and repeats', gapsOf(all), 0],
        ],
      },
    ],
    samples: {
      late,
      takeovers: takeoverList,
      medianTakeoverMs: median(takeoverList.map(({ ms }) => ms)),
    },
  };
};

/** Measures how late ticks arrive, and how long the feed stops when its leader is killed. */
export const priceFeed = async (): Promise<Report> => {
  const ticks = Number(process.env['BENCH_TICKS'] ?? '6');
  const stack = await openStack();
  try {
    await stack.start('sandbox');
    const workers = [await stack.start('worker'), await stack.start('worker')];
    const replicas = [await stack.start('customer'), await stack.start('customer')];
    const urls = replicas.map(({ url }) => url);
    const listeners = await listen(urls, socketsEach);
    const heard = await listenFor(listeners, ticks);
    const takeoverList = await measureTakeovers(stack, workers, listeners);
    listeners.close();
    return reportOf(ticks, heard, takeoverList, listeners.heard);
  } finally {
    await stack.stop();
  }
};
