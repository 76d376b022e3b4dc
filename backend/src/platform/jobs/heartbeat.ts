import type { Client } from 'pg';
import type { Timers } from '../clock/timers.ts';
import { sessionOptions, type Connections } from '../db/index.ts';
import type { Logger } from '../observability/logger.ts';

/**
 * A pool locks each job that it works on, and the queue treats a lock as lost only after four
 * hours. So each pool regularly records in a separate row that it is alive.
 */
export interface Heartbeat {
  stop(): Promise<void>;
}

interface HeartbeatOptions {
  readonly connections: Pick<Connections, 'createClient' | 'isPooled'>;
  readonly poolId: string;
  readonly logger: Logger;
  readonly timers: Timers;
}

const everyMs = 2000;
const retryAfterMs = 500;
/** The time for which a beat waits for its answer, including the wait for a pooler's connection. */
const answerMs = 10_000;
/** The time limit for ending a connection to a server that may be gone. */
const goodbyeMs = 1000;

// A machine that vanishes closes no connection. With these settings, the database notices that
// after some 30 s.
const keepAlive =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

const beat = `
  insert into job_pool (id, beat_at) values ($1, now())
  on conflict (id) do update set beat_at = now(), suspected_at = null`;

/**
 * Takes the session's lock, which is the only sign of life that a worker of the previous version
 * looks for.
 */
const lockOfEarlier = "select pg_advisory_lock(hashtextextended('job-pool:' || $1, 0))";

const openClient = ({ connections, poolId }: HeartbeatOptions): Client =>
  connections.createClient(`job-pool ${poolId}`, {
    ...(!connections.isPooled && { options: `${sessionOptions} ${keepAlive}` }),
    query_timeout: answerMs,
  });

/** Connects and beats until the connection is lost or `stopping` aborts. */
const beatWhileConnected = async (
  options: HeartbeatOptions,
  stopping: AbortSignal,
): Promise<void> => {
  const { connections, timers, poolId } = options;
  const client = openClient(options);
  const ending = new AbortController();
  const end = (): void => ending.abort();
  client.on('error', end);
  client.on('end', end);
  stopping.addEventListener('abort', end, { once: true });
  try {
    await client.connect();
    await client.query(beat, [poolId]);
    if (!connections.isPooled) await client.query(lockOfEarlier, [poolId]);
    while (!ending.signal.aborted) {
      await timers.sleep(everyMs, ending.signal);
      if (!ending.signal.aborted) await client.query(beat, [poolId]);
    }
    if (stopping.aborted) {
      const deleted = client.query('delete from job_pool where id = $1', [poolId]);
      await Promise.race([deleted, timers.sleep(goodbyeMs)]);
    }
  } finally {
    stopping.removeEventListener('abort', end);
    await Promise.race([client.end().catch(() => undefined), timers.sleep(goodbyeMs)]);
  }
};

/** Starts the heartbeat of a pool, which continues after a lost connection until it is stopped. */
export const startHeartbeat = (options: HeartbeatOptions): Heartbeat => {
  const { logger, timers, poolId } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const beatUntilStopped = async (): Promise<void> => {
    while (!signal.aborted) {
      await beatWhileConnected(options, signal).catch((error: unknown) => {
        logger.warn({ err: error, poolId }, 'the heartbeat of the job pool is interrupted');
      });
      await timers.sleep(signal.aborted ? 0 : retryAfterMs, signal);
    }
  };
  const beating = beatUntilStopped();
  return {
    async stop() {
      stopping.abort();
      await beating;
    },
  };
};
