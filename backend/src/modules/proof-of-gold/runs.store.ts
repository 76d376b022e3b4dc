import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  refusalDetail,
  refusalReasons,
  runStatuses,
  runTriggers,
  type RefusalDetail,
  type RefusalReason,
} from './proof.types.ts';

/** A run, which publishes one statement unless it is refused. */
export interface Run {
  readonly id: string;
  readonly number: number;
  /** An IST date. */
  readonly day: string;
  readonly trigger: (typeof runTriggers)[number];
  readonly status: (typeof runStatuses)[number];
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly reason: RefusalReason | null;
  readonly detail: RefusalDetail | null;
  /** The number of the published statement. Null if the run published none. */
  readonly sequence: number | null;
}

const withSequence = { statement: { select: { sequence: true } } } as const;

const readRun = (db: Db, id: string) =>
  db.proofRun.findUnique({ where: { id }, include: withSequence });

type RunRow = NonNullable<Awaited<ReturnType<typeof readRun>>>;

const toRun = ({ statement, saltKey: _secret, ...row }: RunRow): Run => {
  const trigger = runTriggers.find((known) => known === row.trigger);
  const status = runStatuses.find((known) => known === row.status);
  const reason = refusalReasons.find((known) => known === row.reason) ?? null;
  invariant(trigger !== undefined && status !== undefined, 'a run has a trigger and a status');
  const { id, number, requestedAt, startedAt, finishedAt } = row;
  const detail = row.detail === null ? null : refusalDetail.parse(row.detail);
  const times = { requestedAt, startedAt, finishedAt };
  const day = row.day.toISOString().slice(0, 10);
  const sequence = statement?.sequence ?? null;
  return { id, number, day, trigger, status, ...times, reason, detail, sequence };
};

export const findRun = async (db: Db, id: string): Promise<Run | undefined> => {
  const row = await readRun(db, id);
  return row === null ? undefined : toRun(row);
};

/** Returns the run in progress, if there is one. */
export const findOpenRun = async (db: Db): Promise<Run | undefined> => {
  const row = await db.proofRun.findFirst({
    where: { status: { in: ['QUEUED', 'RUNNING'] } },
    include: withSequence,
  });
  return row === null ? undefined : toRun(row);
};

/** Returns a page of runs, newest first. */
export const listRuns = async (
  db: Db,
  page: Page,
): Promise<{ readonly rows: readonly Run[]; readonly total: number }> => {
  const [rows, total] = await Promise.all([
    db.proofRun.findMany({
      orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
      include: withSequence,
    }),
    db.proofRun.count(),
  ]);
  return { rows: rows.map(toRun), total };
};

interface NewRun {
  readonly id: string;
  readonly day: string;
  /** The operator who requested the run. Null for a scheduled run. */
  readonly requestedBy: string | null;
}

/**
 * Adds a run. Returns false while a run is in progress. Returns false for a scheduled run if a
 * scheduled run of the day was published.
 */
export const insertRun = async (tx: Db, run: NewRun, now: Date): Promise<boolean> => {
  const trigger = run.requestedBy === null ? 'SCHEDULE' : 'OPERATOR';
  const added = await execute(
    tx,
    sql`
      INSERT INTO proof_run (id, day, trigger, status, requested_by, requested_at)
      VALUES (${run.id}::uuid, ${run.day}::date, ${trigger}, 'QUEUED',
        ${run.requestedBy}::uuid, ${now}::timestamptz)
      ON CONFLICT DO NOTHING`,
  );
  return added > 0;
};

/** Returns true if a scheduled run of the day was refused within the last hour of real time. */
export const wasTriedLately = async (db: Db, day: string): Promise<boolean> => {
  const rows = await selectRows(
    db,
    sql`
      SELECT 1 AS found FROM proof_run
      WHERE day = ${day}::date AND trigger = 'SCHEDULE' AND status IN ('REFUSED', 'FAILED')
        AND touched_at > now() - interval '1 hour'
      LIMIT 1`,
  );
  return rows.length > 0;
};

/** Claims a run for the attempt with the given `token`. Returns undefined if the run has ended. */
export const claimRun = async (
  db: Db,
  id: string,
  token: Uint8Array,
  now: Date,
): Promise<Run | undefined> => {
  const claimed = await execute(
    db,
    sql`
      UPDATE proof_run
      SET status = 'RUNNING', started_at = ${now}::timestamptz, touched_at = now(),
        salt_key = ${Buffer.from(token)}
      WHERE id = ${id}::uuid AND status IN ('QUEUED', 'RUNNING')`,
  );
  return claimed === 0 ? undefined : findRun(db, id);
};

/** Records that a run is still in progress. */
export const markRunTouched = async (db: Db, id: string): Promise<void> => {
  await execute(db, sql`UPDATE proof_run SET touched_at = now() WHERE id = ${id}::uuid`);
};

/**
 * Locks a run until the transaction ends. Returns false if another attempt has claimed the run, or if
 * the run has ended.
 */
export const lockRun = async (tx: Db, id: string, token: Uint8Array): Promise<boolean> => {
  const rows = await selectRows(
    tx,
    sql`
      SELECT id FROM proof_run
      WHERE id = ${id}::uuid AND status = 'RUNNING' AND salt_key = ${Buffer.from(token)}
      FOR UPDATE`,
  );
  return rows.length === 1;
};

type RunEnd =
  | { readonly status: 'PUBLISHED' | 'FAILED' }
  | { readonly status: 'REFUSED'; readonly reason: RefusalReason; readonly detail: RefusalDetail };

/**
 * Ends a run in progress. A run that is not published keeps no key, since its salts are not needed.
 */
export const markRunEnded = async (db: Db, id: string, end: RunEnd, now: Date): Promise<void> => {
  const [reason, detail] =
    end.status === 'REFUSED' ? [end.reason, JSON.stringify(end.detail)] : [null, null];
  await execute(
    db,
    sql`
      UPDATE proof_run
      SET status = ${end.status}, finished_at = ${now}::timestamptz, touched_at = now(),
        reason = ${reason}, detail = ${detail}::jsonb,
        salt_key = CASE WHEN ${end.status} = 'PUBLISHED' THEN salt_key END
      WHERE id = ${id}::uuid AND status IN ('QUEUED', 'RUNNING')`,
  );
};

/** Fails runs without progress for an hour, so that they don't block the next ones. */
export const markLostRunsFailed = async (db: Db, now: Date): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE proof_run
      SET status = 'FAILED', finished_at = ${now}::timestamptz, salt_key = NULL
      WHERE status IN ('QUEUED', 'RUNNING') AND touched_at < now() - interval '1 hour'`,
  );
};
