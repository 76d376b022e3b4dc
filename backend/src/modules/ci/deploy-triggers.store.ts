import type { DeployTarget } from '../../adapters/ci/port.ts';
import { execute, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { undecidedStatuses, type TriggerStatus, type UndecidedTrigger } from './ci.types.ts';

/* The rows of `deploy_trigger`. `at` limits the rate, so it is a time of the database's own clock. */

interface NewTrigger {
  readonly id: string;
  readonly target: DeployTarget;
  readonly actorId: string;
}

/** Locks the table until the transaction ends, so that triggers are decided on one at a time. */
export const lockTriggers = async (tx: Db): Promise<void> => {
  await execute(tx, sql`LOCK TABLE deploy_trigger IN SHARE ROW EXCLUSIVE MODE`);
};

/**
 * Returns the milliseconds until a deployment may be started, or undefined if one may be started
 * now. A refused trigger does not count, since it started nothing. A time in the future was written
 * before the clock was set back. It counts only if it is near, since a far one would block for too
 * long.
 */
export const findLockedForMs = async (tx: Db, lockMs: number): Promise<number | undefined> => {
  const row = await selectOne<{ sinceMs: number }>(
    tx,
    sql`
      SELECT (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS "sinceMs"
      FROM deploy_trigger
      WHERE status <> 'REFUSED'
        AND at > clock_timestamp() - ${lockMs}::int * interval '1 millisecond'
        AND at < clock_timestamp() + ${lockMs}::int * interval '1 millisecond'
      ORDER BY at DESC LIMIT 1`,
  );
  return row === undefined ? undefined : lockMs - Math.max(0, row.sinceMs);
};

/** Inserts a trigger that is about to be sent, and returns its time. */
export const insertTrigger = async (tx: Db, trigger: NewTrigger): Promise<Date> => {
  const { id, target, actorId } = trigger;
  const row = await selectOne<{ at: Date }>(
    tx,
    sql`
      INSERT INTO deploy_trigger (id, target, status, actor_id, at)
      VALUES (${id}::uuid, ${target}, 'DISPATCHING', ${actorId}::uuid, clock_timestamp())
      RETURNING at`,
  );
  invariant(row, 'an inserted trigger has a time');
  return row.at;
};

interface TriggerOutcome {
  readonly before: UndecidedTrigger['status'];
  readonly status: TriggerStatus;
  readonly detail: string | undefined;
}

/** Stores the outcome of a trigger. Returns false if it no longer has the status `before`. */
export const updateTriggerOutcome = async (
  tx: Db,
  id: string,
  { before, status, detail }: TriggerOutcome,
): Promise<boolean> => {
  const { count } = await tx.deployTrigger.updateMany({
    where: { id, status: before },
    data: { status, detail: detail ?? null },
  });
  return count === 1;
};

const isUndecided = sql`status = ANY(${[...undecidedStatuses]}::text[])`;

/** An undecided trigger, with its age on the database's clock. */
export interface QuietTrigger extends UndecidedTrigger {
  readonly ageMs: number;
}

/** Lists undecided triggers that are older than `quietMs`, those queried longest ago first. */
export const listQuietTriggers = (
  db: Db,
  { quietMs, limit }: { readonly quietMs: number; readonly limit: number },
): Promise<QuietTrigger[]> =>
  selectRows<QuietTrigger>(
    db,
    sql`
      SELECT id, target, status, at,
        (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS "ageMs"
      FROM deploy_trigger
      WHERE ${isUndecided}
        AND at <= clock_timestamp() - ${quietMs}::int * interval '1 millisecond'
      ORDER BY asked_at NULLS FIRST, at LIMIT ${limit}::int`,
  );

/** Marks a trigger as queried now, so that the sweep queries the others before it. */
export const markTriggerQueried = async (db: Db, id: string): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE deploy_trigger SET asked_at = clock_timestamp()
      WHERE id = ${id}::uuid AND ${isUndecided}`,
  );
};

/** Lists undecided triggers of all targets or of one, newest first. */
export const listUndecidedTriggers = (
  db: Db,
  { target, limit }: { readonly target?: DeployTarget | undefined; readonly limit: number },
): Promise<UndecidedTrigger[]> =>
  db.deployTrigger.findMany({
    where: {
      status: { in: [...undecidedStatuses] },
      ...(target !== undefined && { target }),
    },
    orderBy: [{ at: 'desc' }, { id: 'asc' }],
    take: limit,
    select: { id: true, target: true, status: true, at: true },
  }) as Promise<UndecidedTrigger[]>; // Check constraints allow only known targets and statuses.
