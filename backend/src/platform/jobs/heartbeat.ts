import { Client } from 'pg';
import type { Timers } from '../clock/timers.ts';
import { sessionOptions, type Connections } from '../db/index.ts';
import { execute, selectRows, sql, type InTransaction } from '../db/index.ts';
import type { Logger } from '../observability/logger.ts';
import { keyedFlag } from './enqueue.ts';
import type { Sweep } from './sweep.ts';

/**
 * A job is locked by the pool that works on it, and the queue itself takes a lock for lost only
 * after four hours. So each pool proves that it lives by an advisory lock that its session holds:
 * PostgreSQL releases it the moment the process is gone.
 */
export interface Heartbeat {
  stop(): Promise<void>;
}

interface HeartbeatOptions {
  readonly connections: Pick<Connections, 'clientSettings'>;
  readonly poolId: string;
  readonly logger: Logger;
  readonly timers: Timers;
}

const retryAfterMs = 500;
/** The time for which a server that may be gone is told goodbye. */
const goodbyeMs = 1000;

// A machine that vanishes closes no connection; the database then probes after some 30 s.
const keepAlive =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** Connects, takes the lock and holds it until the session ends or `stopping` aborts. */
const holdOnce = async (options: HeartbeatOptions, stopping: AbortSignal): Promise<void> => {
  const { timers } = options;
  const client = new Client({
    ...options.connections.clientSettings(`job-pool ${options.poolId}`),
    options: `${sessionOptions} ${keepAlive}`,
  });
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
    stopping.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await client.connect();
    await client.query("select pg_advisory_lock(hashtextextended('job-pool:' || $1, 0))", [
      options.poolId,
    ]);
    if (!stopping.aborted) await ended;
  } finally {
    await Promise.race([client.end().catch(() => undefined), timers.sleep(goodbyeMs)]);
  }
};

/** Keeps the heartbeat of a pool up, over lost connections too, until it is stopped. */
export const startHeartbeat = (options: HeartbeatOptions): Heartbeat => {
  const { logger, timers, poolId } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const hold = async (): Promise<void> => {
    while (!signal.aborted) {
      await holdOnce(options, signal).catch((error: unknown) => {
        logger.warn({ err: error, poolId }, 'the heartbeat of the job pool is interrupted');
      });
      await timers.sleep(signal.aborted ? 0 : retryAfterMs, signal);
    }
  };
  const held = hold();
  return {
    async stop() {
      stopping.abort();
      await held;
    },
  };
};

/**
 * Frees the jobs and queues of pools without a heartbeat; returns how many pools. Jobs locked
 * less than `graceSeconds` ago are left: their pool may just be starting.
 */
export const releaseDeadPools = async (
  inTransaction: InTransaction,
  graceSeconds = 10,
): Promise<number> =>
  inTransaction(async (tx) => {
    const dead = await selectRows<{ locked_by: string }>(
      tx,
      sql`
      with holders as materialized (
        select locked_by from graphile_worker._private_jobs
        where locked_at < now() - make_interval(secs => ${graceSeconds}::int)
        union
        select locked_by from graphile_worker._private_job_queues
        where locked_at < now() - make_interval(secs => ${graceSeconds}::int))
      select locked_by from holders
      where pg_try_advisory_xact_lock(hashtextextended('job-pool:' || locked_by, 0))`,
    );
    const pools = dead.map(({ locked_by: pool }) => pool);
    if (pools.length > 0) {
      await execute(tx, sql`select graphile_worker.force_unlock_workers(${pools}::text[])`);
    }
    // Replaced while it ran, by a job that has its key now: of a worker that died, or it failed.
    await execute(
      tx,
      sql`
      delete from graphile_worker._private_jobs
      where locked_at is null and key is null and attempts >= max_attempts
        and jsonb_exists(flags, ${keyedFlag}::text)`,
    );
    return pools.length;
  });

/** Frees the jobs of workers that died, every few seconds. */
export const createDeadPoolSweep = (options: {
  readonly inTransaction: InTransaction;
  readonly logger: Logger;
}): Sweep => ({
  name: 'job-queue-dead-pools',
  everyMs: 5000,
  run: async () => {
    const pools = await releaseDeadPools(options.inTransaction);
    if (pools > 0) options.logger.warn({ pools }, 'freed the jobs of workers that died');
  },
});
