import { EventEmitter } from 'node:events';
import {
  Logger as QueueLogger,
  run,
  type WorkerEvents,
  type JobHelpers,
  type Runner,
  type RunnerOptions,
  type Task,
} from 'graphile-worker';
import { z } from 'zod';
import type { Logger } from '../observability/logger.ts';
import { createTimers, type Timers } from '../clock/timers.ts';
import type { Connections } from '../db/index.ts';
import { withRequestId } from '../http/request-scope.ts';
import { describeError } from '../observability/redact.ts';
import { inSpan, type OpenSpan } from '../observability/tracing.ts';
import type { JobOutcome, Metrics } from '../observability/metrics.ts';
import type { JobContext, JobHandler, TaskList } from './enqueue.ts';
import { startHeartbeat, type Heartbeat } from './heartbeat.ts';
import { neverListens, takeBackOnce } from './queue-connections.ts';

/**
 * Calls `onStalled` once when the workers of a pool failed to look for jobs `limit` times in a row.
 * A pool does not always recover by itself. The queue's library looks up the ids of its tasks once
 * and keeps the promise, even if it was rejected. If the database was unreachable at just that
 * moment, the pool never takes a job.
 */
const detectStalledRunner = (
  events: WorkerEvents,
  { limit, logger }: { readonly limit: number; readonly logger: Logger },
  onStalled: (error: Error) => void,
): void => {
  let failures = 0;
  const onSuccess = (): void => {
    failures = 0;
  };
  events.on('worker:getJob:empty', onSuccess);
  events.on('job:start', onSuccess);
  events.on('worker:getJob:error', ({ error }) => {
    const cause = error instanceof Error ? error : new Error(String(error));
    failures += 1;
    if (failures === 1) logger.warn({ err: cause }, 'jobs cannot be taken');
    if (failures === limit) onStalled(cause);
  });
};

interface JobRunner {
  /** Starts to take jobs. It keeps trying while the database can't be reached. */
  start(): void;
  /** Takes no more jobs and resolves when the running jobs are done. */
  stop(): Promise<void>;
  /** True while jobs are being taken. */
  isRunning(): boolean;
  /** Returns the time since it took or finished a job, or else since it was created. */
  msSinceProgress(): number;
}

interface JobRunnerOptions {
  /** The connections of the application's role. */
  readonly connections: Pick<Connections, 'openPool' | 'createClient' | 'isPooled'>;
  readonly tasks: TaskList;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, 'observeJob'>;
  /** The number of jobs that run at a time in this process (default 10). */
  readonly concurrency?: number;
  /**
   * The interval at which jobs that wait for a retry are looked for (default 1000). New jobs are
   * announced.
   */
  readonly pollIntervalMs?: number;
  /** The time from `stop` until the jobs' signal aborts (default 10 000). */
  readonly abortAfterMs?: number;
  readonly timers?: Timers;
}

const restartAfterMs = 1000;
/**
 * The size of the pool. One connection listens. The others take and finish jobs, each for a moment.
 */
const poolSize = 5;
/**
 * The time for which a job may continue after its signal aborted. After that, the runner no longer
 * waits for it.
 */
const abandonAfterMs = 3000;
/** The time in which a pool ends by itself, if its server answers. */
const poolEndMs = 1000;
/** The failures of each worker to look for a job, after which the pool is replaced. */
const failuresEach = 3;

type QueuePool = NonNullable<RunnerOptions['pgPool']>;

const openPool = (connections: JobRunnerOptions['connections'], logger: Logger): QueuePool => {
  const onError = (error: Error): void => logger.warn({ err: error }, 'job queue connection lost');
  const pool = connections.openPool({ size: poolSize, applicationName: 'job-runner', onError });
  takeBackOnce(pool);
  if (connections.isPooled) neverListens(pool);
  // It is the same class. The queue only has an older version of its types.
  return pool as unknown as QueuePool; // oxlint-disable-line typescript/no-unsafe-type-assertion
};

/**
 * Reports jobs as done or failed in batches. The reason is not speed. If a single report fails at
 * the database, the library leaves an unhandled rejection, and the job stays locked by a live pool.
 * If a batch fails, the pool stops and is started again.
 */
const reporting = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/**
 * Returns the queue's settings. A pooler gives each transaction another session, which has no
 * prepared statements. The process's lifecycle handles the signals.
 */
const settingsFor = ({ isPooled }: Pick<Connections, 'isPooled'>) => ({
  parsedCronItems: [],
  preset: { worker: reporting },
  noPreparedStatements: isPooled,
  noHandleSignals: true,
});

const quietLevels: ReadonlySet<string> = new Set(['debug', 'info']);

/**
 * Logs the queue's own lines, except those about single jobs, which `wrapHandler` logs scrubbed.
 */
const queueLogger = (logger: Logger): QueueLogger =>
  new QueueLogger(() => (level, message, meta) => {
    if (meta?.['failure'] === true || meta?.['success'] === true) return;
    if (quietLevels.has(level)) logger.debug(message);
    else logger.warn(message);
  });

interface WrapOptions {
  readonly task: string;
  readonly handler: JobHandler;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'observeJob'> | undefined;
}

const never = new AbortController().signal;

const contextOf = (task: string, helpers: JobHelpers, logger: Logger): JobContext => {
  const { job } = helpers;
  const { attempts: attempt, max_attempts: maxAttempts } = job;
  return {
    logger: logger.child({ task, jobId: job.id, attempt }),
    jobId: job.id,
    attempt,
    maxAttempts,
    signal: helpers.abortSignal ?? never,
  };
};

const tracedPayload = z.looseObject({ traceparent: z.string().optional() });

/** Returns the trace that a job continues, if its payload has one. */
const traceOf = (payload: unknown): string | undefined =>
  tracedPayload.safeParse(payload).data?.traceparent;

/**
 * Wraps a handler for the queue. The handler runs under its own request id and is measured. Its
 * failures are logged, and the last one as an error. The queue stores a rethrown error in the row,
 * so it is scrubbed.
 */
const wrapHandler = (options: WrapOptions): Task => {
  const { task, handler, metrics } = options;
  return async (payload, helpers) => {
    const context = contextOf(task, helpers, options.logger);
    const { logger, attempt, maxAttempts, jobId } = context;
    const startedAt = performance.now();
    const observe = (outcome: JobOutcome): number => {
      const ms = performance.now() - startedAt;
      metrics?.observeJob({ task, outcome, ms });
      return Math.round(ms);
    };
    const run = async (span: OpenSpan): Promise<void> => {
      try {
        await handler(payload, context);
        logger.info({ ms: observe('done') }, 'job done');
      } catch (error) {
        const isLast = attempt >= maxAttempts;
        const outcome = isLast ? 'dead' : 'retry';
        span.setAttributes({ outcome });
        const fields = { err: error, ms: observe(outcome) };
        if (isLast) logger.error(fields, 'job failed on its last attempt');
        else logger.warn(fields, 'job failed and will be retried');
        const { type, message } = describeError(error);
        // The cause would only be printed by the queue's own logger, unscrubbed.
        throw new Error(`${type}: ${message}`); // oxlint-disable-line preserve-caught-error
      }
    };
    const span = { name: `job ${task}`, kind: 'consumer', traceparent: traceOf(payload) } as const;
    await withRequestId(`job-${jobId}`, () => inSpan(span, run));
  };
};

const wrapHandlers = ({ tasks, logger, metrics }: JobRunnerOptions) =>
  Object.fromEntries(
    Object.entries(tasks).map(([task, handler]) => [
      task,
      wrapHandler({ task, handler, logger, metrics }),
    ]),
  );

/** Starts a heartbeat with each pool that the queue makes. The returned function stops them all. */
const startHeartbeats = (
  events: WorkerEvents,
  options: Pick<JobRunnerOptions, 'connections' | 'logger'> & { readonly timers: Timers },
): (() => Promise<unknown>) => {
  const heartbeats: Heartbeat[] = [];
  events.on('pool:create', ({ workerPool }) => {
    heartbeats.push(startHeartbeat({ ...options, poolId: workerPool.id }));
  });
  return () => Promise.all(heartbeats.map((heartbeat) => heartbeat.stop()));
};

const noteProgress = (events: WorkerEvents, progress: { lastAt: number }): void => {
  for (const event of ['job:start', 'job:complete'] as const) {
    events.on(event, () => void (progress.lastAt = performance.now()));
  }
};

const endPool = async (pool: QueuePool, timers: Timers): Promise<void> => {
  await Promise.race([pool.end(), timers.sleep(poolEndMs)]);
};

/**
 * Limits the wait for the end of a pool to `ms` after its shutdown began. A job that neither ends
 * nor heeds its signal would otherwise keep other jobs waiting and the process from ending. Such a
 * job runs again once the heartbeat of its pool has stopped.
 */
const whenAbandoned = (events: WorkerEvents, ms: number, timers: Timers) => {
  const ended = new AbortController();
  const shutdownBegun = new Promise<void>((resolve) => {
    events.once('pool:gracefulShutdown', () => resolve());
  });
  const wait = async (): Promise<void> => {
    await shutdownBegun;
    await timers.sleep(ms, ended.signal);
    if (ended.signal.aborted) return;
    throw new Error('jobs did not end when they were told to: they are abandoned');
  };
  const waited = wait();
  // The result may arrive when the runner no longer waits for it.
  waited.catch(() => undefined);
  return { waited, end: () => ended.abort() };
};

/**
 * Takes jobs from the queue and runs them, at least once each. A job that throws is tried again
 * after exp(attempt) seconds (2.7 s, 7.4 s, 20 s, 55 s, ... at most 6.1 h) until its attempts are
 * used up. Then it is in the view `dead_letter_job`, and has an error in the log and an outcome
 * `dead` in the metrics. If the queue itself stops on an error, it is started again.
 */
export const createJobRunner = (options: JobRunnerOptions): JobRunner => {
  const { connections, logger, concurrency = 10 } = options;
  const { pollIntervalMs = 1000, abortAfterMs = 10_000, timers = createTimers() } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const progress = { lastAt: performance.now() };
  let running: Promise<void> | undefined;
  let active: Runner | undefined;

  const settings: RunnerOptions = {
    taskList: wrapHandlers(options),
    ...settingsFor(connections),
    concurrency,
    pollInterval: pollIntervalMs,
    gracefulShutdownAbortTimeout: abortAfterMs,
    logger: queueLogger(logger),
  };
  const warnOfStop = (error: unknown): void =>
    logger.warn({ err: error }, 'the job runner did not stop cleanly');

  const runOnce = async (): Promise<void> => {
    const pool = openPool(connections, logger);
    const events: WorkerEvents = new EventEmitter();
    noteProgress(events, progress);
    const stopHeartbeats = startHeartbeats(events, { connections, logger, timers });
    const abandoned = whenAbandoned(events, abortAfterMs + abandonAfterMs, timers);
    let stalled: Error | undefined;
    detectStalledRunner(events, { limit: failuresEach * concurrency, logger }, (cause) => {
      stalled = cause;
      active?.stop().catch(warnOfStop);
    });
    try {
      active = await run({ ...settings, pgPool: pool, events });
      if (signal.aborted) await active.stop();
      await Promise.race([active.promise, abandoned.waited]);
      if (stalled !== undefined) throw stalled;
    } finally {
      active?.promise.catch(() => undefined);
      active = undefined;
      abandoned.end();
      await stopHeartbeats();
      await endPool(pool, timers);
    }
  };
  const supervise = async (): Promise<void> => {
    while (!signal.aborted) {
      await runOnce().catch((error: unknown) => {
        logger.error({ err: error }, 'the job runner stopped and is restarted');
      });
      await timers.sleep(restartAfterMs, signal);
    }
  };

  return {
    start() {
      running ??= supervise();
    },
    async stop() {
      stopping.abort();
      active?.stop().catch(warnOfStop);
      await running;
    },
    isRunning: () => active !== undefined && !signal.aborted,
    msSinceProgress: () => performance.now() - progress.lastAt,
  };
};
