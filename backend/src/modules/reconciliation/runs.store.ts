import { z } from 'zod';
import { execute, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { RulesReport } from './database-rules/check-rules.ts';
import { driftPlaces } from './database-rules/drift.ts';
import {
  checkIds,
  checkStatuses,
  maxSamples,
  severities,
  type Report,
} from './reconciliation.types.ts';

/** The kinds of runs: the checks of the report, and the rules over the whole database. */
export const runKinds = ['REPORT', 'DATABASE_RULES'] as const;
type RunKind = (typeof runKinds)[number];
export const runStatuses = ['QUEUED', 'RUNNING', 'DONE', 'FAILED'] as const;
export const runTriggers = ['SCHEDULE', 'OPERATOR'] as const;

const sample = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** The stored form of the results of the checks of a run. */
const storedChecks = z.array(
  z.object({
    id: z.enum(checkIds),
    title: z.string(),
    severity: z.enum(severities),
    status: z.enum(checkStatuses),
    count: z.int().min(0),
    samples: z.array(sample).max(maxSamples),
    detail: z.string().exactOptional(),
  }),
);

/** The stored form of the findings of a run of the rules. */
const storedRules = z.object({
  rules: z.array(
    z.object({
      invariant: z.int(),
      says: z.string(),
      status: z.enum(checkStatuses),
      count: z.int().min(0),
      samples: z.array(sample).max(maxSamples),
    }),
  ),
  drift: z.array(z.object({ place: z.enum(driftPlaces), amount: z.string() })),
});

/** One run of the report over a window, or of the rules. */
export interface Run {
  readonly id: string;
  readonly kind: RunKind;
  readonly windowHours: number;
  readonly trigger: (typeof runTriggers)[number];
  readonly status: (typeof runStatuses)[number];
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly checksDone: number;
  /** The report of a finished run of the checks. Undefined for other runs. */
  readonly report: Report | undefined;
  /** The findings of a finished run of the rules. Undefined for other runs. */
  readonly rules: (RulesReport & { readonly generatedAt: Date }) | undefined;
}

const readRun = (db: Db, id: string) => db.reconciliationRun.findUnique({ where: { id } });

type RunRow = NonNullable<Awaited<ReturnType<typeof readRun>>>;

const toRun = (row: RunRow): Run => {
  const { id, windowHours, requestedAt, startedAt, finishedAt, checksDone, generatedAt } = row;
  const trigger = runTriggers.find((known) => known === row.trigger);
  const status = runStatuses.find((known) => known === row.status);
  const kind = runKinds.find((known) => known === row.kind);
  invariant(trigger !== undefined && status !== undefined, 'a run has a trigger and a status');
  invariant(kind !== undefined, 'a run has a kind');
  const isDone = generatedAt !== null;
  const report =
    isDone && kind === 'REPORT'
      ? { generatedAt, windowHours, checks: storedChecks.parse(row.checks) }
      : undefined;
  const rules =
    isDone && kind === 'DATABASE_RULES'
      ? { generatedAt, ...storedRules.parse(row.checks) }
      : undefined;
  return {
    id,
    kind,
    windowHours,
    trigger,
    status,
    requestedAt,
    startedAt,
    finishedAt,
    checksDone,
    report,
    rules,
  };
};

const openStatuses = ['QUEUED', 'RUNNING'];

/** The kind and the window of a run. Runs of different windows are scheduled independently. */
export interface RunOf {
  readonly kind: RunKind;
  readonly windowHours: number;
}

/** Returns the run of a kind and window that is in progress, if there is one. */
export const findOpenRun = async (
  db: Db,
  { kind, windowHours }: RunOf,
): Promise<Run | undefined> => {
  const row = await db.reconciliationRun.findFirst({
    where: { kind, windowHours, status: { in: openStatuses } },
  });
  return row === null ? undefined : toRun(row);
};

/**
 * Adds a run that an operator requested. Returns undefined while another run of the window is in
 * progress.
 */
export const insertOperatorRun = async (
  tx: Db,
  run: RunOf & { readonly id: string; readonly requestedBy: string },
  now: Date,
): Promise<Run | undefined> => {
  const added = await execute(
    tx,
    sql`
      INSERT INTO reconciliation_run
        (id, kind, window_hours, trigger, status, requested_by, requested_at)
      VALUES (${run.id}::uuid, ${run.kind}, ${run.windowHours}::int, 'OPERATOR', 'QUEUED',
        ${run.requestedBy}::uuid, ${now}::timestamptz)
      ON CONFLICT DO NOTHING`,
  );
  return added === 0 ? undefined : findRun(tx, run.id);
};

/** The real time at which the newest run was due. It is the last full hour, or the last 02:00 IST. */
const dueOf: Readonly<Record<RunKind, Sql>> = {
  REPORT: sql`date_trunc('hour', now())`,
  DATABASE_RULES: sql`
    date_trunc('day', now() - interval '20 hours 30 minutes') + interval '20 hours 30 minutes'`,
};

/** The longest time between due times of runs. If it is exceeded, a run is queued at once. */
const longestGap: Readonly<Record<RunKind, Sql>> = {
  REPORT: sql`interval '2 hours'`,
  DATABASE_RULES: sql`interval '26 hours'`,
};

/**
 * Inserts the run that is due in real time. Returns false if that run exists, or if a run of the
 * window is in progress. A run that was due before the process started is inserted only if there has
 * been no run for `longestGap`.
 */
export const insertScheduledRun = async (
  tx: Db,
  run: RunOf & { readonly id: string; readonly startedAt: Date },
  now: Date,
): Promise<boolean> => {
  const added = await execute(
    tx,
    sql`
      INSERT INTO reconciliation_run
        (id, kind, window_hours, trigger, status, due_at, requested_at)
      SELECT ${run.id}::uuid, ${run.kind}, ${run.windowHours}::int, 'SCHEDULE', 'QUEUED',
        ${dueOf[run.kind]}, ${now}::timestamptz
      WHERE ${dueOf[run.kind]} > ${run.startedAt}::timestamptz
        OR now() - ${longestGap[run.kind]} > (
          SELECT max(r.due_at) FROM reconciliation_run r
          WHERE r.kind = ${run.kind} AND r.window_hours = ${run.windowHours}::int)
      ON CONFLICT DO NOTHING`,
  );
  return added > 0;
};

/** Marks a run as in progress. Returns undefined if the run has ended. */
export const markRunStarted = async (db: Db, id: string, now: Date): Promise<Run | undefined> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run
      SET status = 'RUNNING', started_at = ${now}::timestamptz, touched_at = now(), checks_done = 0
      WHERE id = ${id}::uuid AND status IN ('QUEUED', 'RUNNING')`,
  );
  const run = await findRun(db, id);
  return run?.status === 'RUNNING' ? run : undefined;
};

/** Counts a finished check, which also records that the run is still in progress. */
export const markCheckDone = async (db: Db, id: string): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run SET checks_done = checks_done + 1, touched_at = now()
      WHERE id = ${id}::uuid AND status = 'RUNNING'`,
  );
};

/** Stores the findings of a run. */
export const markRunDone = async (
  db: Db,
  id: string,
  { generatedAt, found }: { readonly generatedAt: Date; readonly found: object },
  now: Date,
): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run
      SET status = 'DONE', finished_at = ${now}::timestamptz, touched_at = now(),
        generated_at = ${generatedAt}::timestamptz, checks = ${JSON.stringify(found)}::jsonb
      WHERE id = ${id}::uuid AND status = 'RUNNING'`,
  );
};

export const markRunFailed = async (db: Db, id: string, now: Date): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run
      SET status = 'FAILED', finished_at = ${now}::timestamptz, touched_at = now()
      WHERE id = ${id}::uuid AND status IN ('QUEUED', 'RUNNING')`,
  );
};

/** Fails runs without progress for an hour, so that they don't block the next ones. */
export const markLostRunsFailed = async (db: Db, now: Date): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run SET status = 'FAILED', finished_at = ${now}::timestamptz
      WHERE status IN ('QUEUED', 'RUNNING') AND touched_at < now() - interval '1 hour'`,
  );
};

export const findRun = async (db: Db, id: string): Promise<Run | undefined> => {
  const row = await readRun(db, id);
  return row === null ? undefined : toRun(row);
};

/** Returns the newest run of a kind and window that is done, if there is one. */
export const findNewestRun = async (
  db: Db,
  { kind, windowHours }: RunOf,
): Promise<Run | undefined> => {
  const row = await db.reconciliationRun.findFirst({
    where: { kind, windowHours, status: 'DONE' },
    // Of two runs at the same time of a stopped business clock, the later one counts.
    orderBy: [{ generatedAt: 'desc' }, { touchedAt: 'desc' }],
  });
  return row === null ? undefined : toRun(row);
};

/** Returns a page of runs, newest first. */
export const listRuns = async (
  db: Db,
  page: Page,
): Promise<{ readonly rows: readonly Run[]; readonly total: number }> => {
  const [rows, total] = await Promise.all([
    db.reconciliationRun.findMany({
      orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.reconciliationRun.count(),
  ]);
  return { rows: rows.map(toRun), total };
};

/** Returns true if more than `limit` gold orders were placed since `from`. */
export const hasMoreOrders = async (db: Db, from: Date, limit: number): Promise<boolean> => {
  const rows = await selectRows<{ n: bigint }>(
    db,
    sql`
      SELECT count(*) AS n FROM (
        SELECT FROM gold_order WHERE created_at >= ${from}::timestamptz
        LIMIT ${limit + 1}::int) AS placed`,
  );
  return (rows[0]?.n ?? 0n) > BigInt(limit);
};
