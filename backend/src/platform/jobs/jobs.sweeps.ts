import { execute, selectRows, sql, type Db, type InTransaction } from '../db/index.ts';
import type { Logger } from '../observability/logger.ts';
import { keyedFlag } from './enqueue.ts';
import type { Sweep } from './sweep.ts';

interface DeadPoolTimeouts {
  /** Jobs that were locked more recently are skipped, since their pool may just be starting. */
  readonly graceSeconds?: number;
  /** A pool without a heartbeat for this long is suspected. */
  readonly silentSeconds?: number;
  /** A pool that has been suspected for this long and is still silent counts as dead. */
  readonly suspectSeconds?: number;
}

/**
 * Suspects the pools that have been silent. They are not dead yet, because an outage of the
 * database silences every pool. The time in which a pool must send its next heartbeat begins only
 * now.
 */
const suspectSilent = async (tx: Db, silentSeconds: number): Promise<void> => {
  await execute(
    tx,
    sql`
    update job_pool set suspected_at = now()
    where id in (
      select id from job_pool
      where suspected_at is null and beat_at < now() - make_interval(secs => ${silentSeconds}::int)
      order by id for update skip locked)`,
  );
};

/**
 * Finds the dead pools among those that hold a job. A pool with a row is judged only by its
 * heartbeat. A pool without a row either runs the previous version of the service, which has no
 * heartbeat, or has ended. It is dead if no session holds the advisory lock that the pool's database
 * session takes.
 */
const findDead = async (tx: Db, timeouts: Required<DeadPoolTimeouts>): Promise<string[]> => {
  const { graceSeconds, suspectSeconds } = timeouts;
  const rows = await selectRows<{ id: string }>(
    tx,
    sql`
    with holder as materialized (
      select locked_by as id from graphile_worker._private_jobs
      where locked_at < now() - make_interval(secs => ${graceSeconds}::int)
      union
      select locked_by from graphile_worker._private_job_queues
      where locked_at < now() - make_interval(secs => ${graceSeconds}::int)
    ), silent as materialized (
      select id from job_pool
      where suspected_at <= now() - make_interval(secs => ${suspectSeconds}::int)
        and id in (select id from holder)
      order by id for update skip locked
    ), without_row as materialized (
      select id from holder where not exists (select from job_pool where job_pool.id = holder.id)
    )
    select id from silent
    union all
    select id from without_row
    where pg_try_advisory_xact_lock(hashtextextended('job-pool:' || id, 0))`,
  );
  return rows.map(({ id }) => id);
};

/** Deletes the rows of pools that have been silent for a day. */
const forgetOld = async (tx: Db): Promise<void> => {
  await execute(tx, sql`delete from job_pool where beat_at < now() - interval '1 day'`);
};

/** Frees the jobs and queues of dead pools. Returns the number of these pools. */
export const releaseDeadPools = async (
  inTransaction: InTransaction,
  timeouts: DeadPoolTimeouts = {},
): Promise<number> => {
  const { graceSeconds = 10, silentSeconds = 8, suspectSeconds = 6 } = timeouts;
  return inTransaction(async (tx) => {
    await suspectSilent(tx, silentSeconds);
    const pools = await findDead(tx, { graceSeconds, silentSeconds, suspectSeconds });
    if (pools.length > 0) {
      await execute(tx, sql`select graphile_worker.force_unlock_workers(${pools}::text[])`);
    }
    // Deletes jobs that were replaced while they ran and did not succeed. Graphile Worker removed
    // their keys and used up their attempts, so they never run again, but they are not dead letters.
    await execute(
      tx,
      sql`
      delete from graphile_worker._private_jobs
      where locked_at is null and key is null and attempts >= max_attempts
        and jsonb_exists(flags, ${keyedFlag}::text)`,
    );
    await forgetOld(tx);
    return pools.length;
  });
};

/** Creates the sweep that frees the jobs of dead pools every few seconds. */
export const createDeadPoolSweep = (options: {
  readonly inTransaction: InTransaction;
  readonly logger: Logger;
}): Sweep => ({
  name: 'jobs-release-dead-pools',
  everyMs: 2000,
  run: async () => {
    const pools = await releaseDeadPools(options.inTransaction);
    if (pools > 0) options.logger.warn({ pools }, 'released the jobs of dead pools');
  },
});
