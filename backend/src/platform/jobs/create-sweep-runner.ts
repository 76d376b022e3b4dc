import type { Redis } from 'ioredis';
import { createTimers, type Timers } from '../clock/timers.ts';
import { createSemaphore, type Semaphore } from '../concurrency/semaphore.ts';
import { withRequestId } from '../http/request-scope.ts';
import { inSpan } from '../observability/tracing.ts';
import { createRandom, type Random } from '../ids/random.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics, SweepOutcome } from '../observability/metrics.ts';
import { withLock } from '../redis/with-lock.ts';
import { createLoop } from './create-loop.ts';
import type { Sweep } from './sweep.ts';

export interface SweepRunner {
  start(): void;
  /** Stops after the current runs. */
  stop(): Promise<void>;
  /**
   * Runs one sweep now, unless another replica is running it. An error of the sweep is an outcome
   * and is not thrown.
   */
  runNow(name: string): Promise<SweepOutcome>;
}

export interface SweepRunnerOptions {
  readonly sweeps: readonly Sweep[];
  /** The period of sweeps that name none, in real milliseconds. */
  readonly everyMs: number;
  readonly redis: Redis;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, 'observeSweep'>;
  readonly timers?: Timers;
  readonly random?: Random;
}

/**
 * The life of a sweep's lock. If its holder died, another replica may run the sweep after this
 * time.
 */
const lockTtlMs = 10_000;

type TimedSweep = Required<Sweep>;

const withPeriod = (sweep: Sweep, defaultEveryMs: number): TimedSweep => {
  const { name, run, everyMs = defaultEveryMs } = sweep;
  if (!/^[a-z][a-z0-9-]{1,63}$/u.test(name)) throw new Error(`bad sweep name ${name}`);
  if (!(everyMs >= 100)) throw new Error(`sweep ${name} is too frequent`);
  return { name, everyMs, run };
};

/** Returns true if no replica has run the sweep in this period, or if the cache is unavailable. */
const isDue = async (redis: Redis, sweep: TimedSweep): Promise<boolean> => {
  const periodMs = Math.max(1, Math.floor(sweep.everyMs * 0.8));
  try {
    return (await redis.set(`sweep-ran:${sweep.name}`, '1', 'PX', periodMs, 'NX')) === 'OK';
  } catch {
    return true;
  }
};

/**
 * Runs `work` with a signal that aborts with any of `sources`. `AbortSignal.any` would leave an
 * entry at each run in a source that lives as long as the process.
 */
const withAnySignal = async (
  sources: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  for (const source of sources) source.addEventListener('abort', end, { once: true });
  if (sources.some(({ aborted }) => aborted)) end();
  try {
    await work(ending.signal);
  } finally {
    for (const source of sources) source.removeEventListener('abort', end);
  }
};

interface Run {
  readonly sweep: TimedSweep;
  readonly signal: AbortSignal;
  /** True to run the sweep even if it has just run. */
  readonly isForced: boolean;
}

/**
 * Runs each sweep in a separate loop. A sweep runs in one replica at a time, and once in a period
 * over all replicas. While the cache is down, every replica runs every sweep. An error is logged
 * and never ends a loop.
 */
export const createSweepRunner = (options: SweepRunnerOptions): SweepRunner => {
  const { redis, logger, metrics } = options;
  const { timers = createTimers(), random = createRandom() } = options;
  const sweeps = options.sweeps.map((sweep) => withPeriod(sweep, options.everyMs));
  const byName = new Map(sweeps.map((sweep) => [sweep.name, sweep]));
  if (byName.size !== sweeps.length) throw new Error('two sweeps have the same name');
  // Without the cache, the lock excludes no other run. Within a process, this semaphore does.
  const places = new Map<string, Semaphore>(sweeps.map(({ name }) => [name, createSemaphore(1)]));

  const underLock = async ({ sweep, signal, isForced }: Run): Promise<SweepOutcome> => {
    const lock = { redis, key: `sweep:${sweep.name}`, ttlMs: lockTtlMs, whenDown: 'run' } as const;
    const outcome = await withLock(lock, async (lockLost): Promise<SweepOutcome> => {
      if (!(await isDue(redis, sweep)) && !isForced) return 'skipped';
      await withAnySignal([signal, lockLost], (ending) => sweep.run(ending));
      return 'done';
    });
    return outcome ?? 'skipped';
  };
  const runOnce = async (run: Run): Promise<SweepOutcome> => {
    const { name } = run.sweep;
    const startedAt = performance.now();
    const sweep = async (): Promise<SweepOutcome> => {
      try {
        return await underLock(run);
      } catch (error) {
        logger.error({ err: error, sweep: name }, 'sweep failed');
        return 'failed';
      }
    };
    const outcome = await withRequestId(`sweep-${name}-${random.uuid()}`, () =>
      inSpan({ name: `sweep ${name}`, kind: 'internal' }, sweep),
    );
    metrics?.observeSweep({ sweep: name, outcome, ms: performance.now() - startedAt });
    return outcome;
  };
  const runAlone = async (run: Run): Promise<SweepOutcome> =>
    (await places.get(run.sweep.name)?.run(() => runOnce(run))) ?? 'skipped';

  const loops = sweeps.map((sweep) =>
    createLoop({
      everyMs: sweep.everyMs,
      jitterMs: Math.min(sweep.everyMs / 10, 5000),
      run: (signal) => runAlone({ sweep, signal, isForced: false }),
      onError: (error) => logger.error({ err: error, sweep: sweep.name }, 'sweep failed'),
      timers,
      random,
    }),
  );
  return {
    start() {
      for (const loop of loops) loop.start();
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    async runNow(name) {
      const sweep = byName.get(name);
      if (sweep === undefined) throw new Error(`no sweep is called ${name}`);
      return runAlone({ sweep, signal: new AbortController().signal, isForced: true });
    },
  };
};
