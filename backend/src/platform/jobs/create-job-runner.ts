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
import { Pool } from 'pg';
import type { Logger } from '../observability/logger.ts';
import { createTimers, type Timers } from '../clock/timers.ts';
import { withRequestId } from '../http/request-scope.ts';
import { describeError } from '../observability/redact.ts';
import type { JobOutcome, Metrics } from '../observability/metrics.ts';
import type { JobContext, JobHandler, TaskList } from './enqueue.ts';
import { startHeartbeat, type Heartbeat } from './heartbeat.ts';

/**
 * Calls `onStalled` once when no worker of a pool could look for jobs, `limit` times in a row. A
 * pool does not always recover by itself: the queue's library looks up the ids of its tasks once
 * and keeps that promise, a rejected one too, so that a database which was unreachable for just
 * that moment leaves a pool that never takes a job.
 */
const detectStalledRunner = (options: {
  readonly events: WorkerEvents;
  readonly limit: number;
  readonly logger: Logger;
  readonly onStalled: (error: Error) => void;
}): void => {
  const { events, limit, logger, onStalled } = options;
  let failures = 0;
  const succeeded = (): void => {
    failures = 0;
  };
  events.on('worker:getJob:empty', succeeded);
  events.on('job:start', succeeded);
  events.on('worker:getJob:error', ({ error }) => {
    const cause = error instanceof Error ? error : new Error(String(error));
    failures += 1;
    if (failures === 1) logger.warn({ err: cause }, 'jobs cannot be taken');
    if (failures === limit) onStalled(cause);
  });
};

interface JobRunner {
  /** Starts to take jobs; keeps trying while the database can't be reached. */
  start(): void;
  /** Takes no more jobs and resolves when those under way are done. */
  stop(): Promise<void>;
  /** True while jobs are being taken. */
  isRunning(): boolean;
}

interface JobRunnerOptions {
  /** The application role's. */
  readonly databaseUrl: string;
  readonly tasks: TaskList;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, 'observeJob'>;
  /** Jobs at a time in this process (default 10). */
  readonly concurrency?: number;
  /** New jobs are announced; this is for those that wait for a retry (default 1000). */
  readonly pollIntervalMs?: number;
  /** The time from `stop` until the jobs' signal aborts (default 10 000). */
  readonly abortAfterMs?: number;
  readonly timers?: Timers;
}

const restartAfterMs = 1000;
/** One connection listens; the others take and finish jobs, each for a moment. */
const poolSize = 5;
/** Times that every worker fails to look for a job before the pool is made anew. */
const failuresEach = 3;

type QueuePool = NonNullable<RunnerOptions['pgPool']>;

const openPool = (databaseUrl: string, logger: Logger): QueuePool => {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: poolSize,
    application_name: 'job-runner',
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
  });
  const onError = (error: Error): void => logger.warn({ err: error }, 'job queue connection lost');
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  // The same class; the queue was only typed against an older version of its types.
  return pool as unknown as QueuePool; // oxlint-disable-line typescript/no-unsafe-type-assertion
};

/**
 * Jobs are reported as done or failed in batches. Not for speed: reported singly, a report that
 * the database does not take is an unhandled rejection, and its job stays locked by a pool that
 * lives. In batches such a failure stops the pool, which is started anew.
 */
const reporting = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const quietLevels: ReadonlySet<string> = new Set(['debug', 'info']);

/** Logs the queue's own lines, except those on single jobs: `wrapHandler` logs jobs, scrubbed. */
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

/**
 * Wraps a handler for the queue: it runs under a request id of its own, measured, its failures
 * logged, the last one as an error. What is thrown on is kept in the row, so it is scrubbed.
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
    await withRequestId(`job-${jobId}`, async () => {
      try {
        await handler(payload, context);
        logger.info({ ms: observe('done') }, 'job done');
      } catch (error) {
        if (attempt < maxAttempts) {
          logger.warn({ err: error, ms: observe('retry') }, 'job failed, to be tried again');
        } else {
          logger.error({ err: error, ms: observe('dead') }, 'job given up');
        }
        const { type, message } = describeError(error);
        // The cause would only be printed by the queue's own logger, unscrubbed.
        throw new Error(`${type}: ${message}`); // oxlint-disable-line preserve-caught-error
      }
    });
  };
};

const wrapHandlers = ({ tasks, logger, metrics }: JobRunnerOptions) =>
  Object.fromEntries(
    Object.entries(tasks).map(([task, handler]) => [
      task,
      wrapHandler({ task, handler, logger, metrics }),
    ]),
  );

/** Starts a heartbeat with each pool that the queue makes; the returned function stops them all. */
const startHeartbeats = (
  events: WorkerEvents,
  options: { readonly databaseUrl: string; readonly logger: Logger; readonly timers: Timers },
): (() => Promise<unknown>) => {
  const heartbeats: Heartbeat[] = [];
  events.on('pool:create', ({ workerPool }) => {
    heartbeats.push(startHeartbeat({ ...options, poolId: workerPool.id }));
  });
  return () => Promise.all(heartbeats.map((heartbeat) => heartbeat.stop()));
};

/**
 * Takes jobs from the queue and runs them, at least once each. A job that throws is tried again
 * after exp(attempt) seconds (2.7 s, 7.4 s, 20 s, 55 s, ... at most 6.1 h) until its attempts are
 * used up; then it is in the view `dead_letter_job`, an error in the log and an outcome `dead` in
 * the metrics. When the queue's own machinery stops on an error it is started again.
 */
export const createJobRunner = (options: JobRunnerOptions): JobRunner => {
  const { databaseUrl, logger, concurrency = 10 } = options;
  const { pollIntervalMs = 1000, abortAfterMs = 10_000, timers = createTimers() } = options;
  const taskList = wrapHandlers(options);
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  let active: Runner | undefined;

  const warnOfStop = (error: unknown): void => {
    logger.warn({ err: error }, 'the job runner did not stop cleanly');
  };

  const runOnce = async (): Promise<void> => {
    const pool = openPool(databaseUrl, logger);
    const events: WorkerEvents = new EventEmitter();
    const stopHeartbeats = startHeartbeats(events, { databaseUrl, logger, timers });
    let stalled: Error | undefined;
    const onStalled = (cause: Error): void => {
      stalled = cause;
      active?.stop().catch(warnOfStop);
    };
    detectStalledRunner({ events, limit: failuresEach * concurrency, logger, onStalled });
    try {
      active = await run({
        pgPool: pool,
        taskList,
        parsedCronItems: [],
        preset: { worker: reporting },
        concurrency,
        pollInterval: pollIntervalMs,
        // The lifecycle owns the signals.
        noHandleSignals: true,
        gracefulShutdownAbortTimeout: abortAfterMs,
        logger: queueLogger(logger),
        events,
      });
      if (signal.aborted) await active.stop();
      await active.promise;
      if (stalled !== undefined) throw stalled;
    } finally {
      active = undefined;
      await stopHeartbeats();
      await pool.end();
    }
  };
  const supervise = async (): Promise<void> => {
    while (!signal.aborted) {
      await runOnce().catch((error: unknown) => {
        logger.error({ err: error }, 'the job runner stopped and is started again');
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
      await active?.stop().catch(warnOfStop);
      await running;
    },
    isRunning: () => active !== undefined && !signal.aborted,
  };
};
