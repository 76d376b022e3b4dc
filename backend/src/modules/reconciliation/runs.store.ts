import { z } from 'zod';
import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  checkIds,
  checkStatuses,
  mostSamples,
  severities,
  type Report,
} from './reconciliation.types.ts';

export const runStatuses = ['QUEUED', 'RUNNING', 'DONE', 'FAILED'] as const;
export const runTriggers = ['SCHEDULE', 'OPERATOR'] as const;

const sample = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** Describes the checks of a run, as they are stored. */
const storedChecks = z.array(
  z.object({
    id: z.enum(checkIds),
    title: z.string(),
    severity: z.enum(severities),
    status: z.enum(checkStatuses),
    count: z.int().min(0),
    samples: z.array(sample).max(mostSamples),
    detail: z.string().exactOptional(),
  }),
);

/** One run of the report over a window. */
export interface Run {
  readonly id: string;
  readonly windowHours: number;
  readonly trigger: (typeof runTriggers)[number];
  readonly status: (typeof runStatuses)[number];
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly checksDone: number;
  /** Of a run that is done. */
  readonly report: Report | undefined;
}

const readRun = (db: Db, id: string) => db.reconciliationRun.findUnique({ where: { id } });

type RunRow = NonNullable<Awaited<ReturnType<typeof readRun>>>;

const kind = 'REPORT';

const toRun = (row: RunRow): Run => {
  const { id, windowHours, requestedAt, startedAt, finishedAt, checksDone, generatedAt } = row;
  const trigger = runTriggers.find((one) => one === row.trigger);
  const status = runStatuses.find((one) => one === row.status);
  invariant(trigger !== undefined && status !== undefined, 'a run has a trigger and a status');
  const report =
    generatedAt === null
      ? undefined
      : { generatedAt, windowHours, checks: storedChecks.parse(row.checks) };
  return {
    id,
    windowHours,
    trigger,
    status,
    requestedAt,
    startedAt,
    finishedAt,
    checksDone,
    report,
  };
};

const openStatuses = ['QUEUED', 'RUNNING'];

/** Returns the run of a window that is under way, if there is one. */
export const findOpenRun = async (db: Db, windowHours: number): Promise<Run | undefined> => {
  const row = await db.reconciliationRun.findFirst({
    where: { kind, windowHours, status: { in: openStatuses } },
  });
  return row === null ? undefined : toRun(row);
};

/** Adds a run that an operator asked for. Undefined while another one of the window is under way. */
export const addOperatorRun = async (
  tx: Db,
  run: { readonly id: string; readonly windowHours: number; readonly requestedBy: string },
  now: Date,
): Promise<Run | undefined> => {
  const added = await execute(
    tx,
    sql`
      INSERT INTO reconciliation_run
        (id, kind, window_hours, trigger, status, requested_by, requested_at)
      VALUES (${run.id}::uuid, ${kind}, ${run.windowHours}::int, 'OPERATOR', 'QUEUED',
        ${run.requestedBy}::uuid, ${now}::timestamptz)
      ON CONFLICT DO NOTHING`,
  );
  return added === 0 ? undefined : findRun(tx, run.id);
};

/**
 * Adds the run of the current hour of real time. Returns false where the hour has one, where one of
 * the window is under way, and in the hour in which the process began: it then waits for the next,
 * unless none has been made for two hours.
 */
export const addScheduledRun = async (
  tx: Db,
  run: { readonly id: string; readonly windowHours: number; readonly startedAt: Date },
  now: Date,
): Promise<boolean> => {
  const added = await execute(
    tx,
    sql`
      INSERT INTO reconciliation_run
        (id, kind, window_hours, trigger, status, due_at, requested_at)
      SELECT ${run.id}::uuid, ${kind}, ${run.windowHours}::int, 'SCHEDULE', 'QUEUED',
        date_trunc('hour', now()), ${now}::timestamptz
      WHERE date_trunc('hour', now()) > ${run.startedAt}::timestamptz
        OR now() - interval '2 hours' > (
          SELECT max(r.due_at) FROM reconciliation_run r
          WHERE r.kind = ${kind} AND r.window_hours = ${run.windowHours}::int)
      ON CONFLICT DO NOTHING`,
  );
  return added > 0;
};

/** Marks a run as being made. Undefined where it is over. */
export const startRun = async (db: Db, id: string, now: Date): Promise<Run | undefined> => {
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

/** Notes that a run goes on. */
export const countCheck = async (db: Db, id: string): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run SET checks_done = checks_done + 1, touched_at = now()
      WHERE id = ${id}::uuid AND status = 'RUNNING'`,
  );
};

/** Stores what a run found. */
export const finishRun = async (
  db: Db,
  id: string,
  { generatedAt, checks }: Report,
  now: Date,
): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run
      SET status = 'DONE', finished_at = ${now}::timestamptz, touched_at = now(),
        generated_at = ${generatedAt}::timestamptz, checks = ${JSON.stringify(checks)}::jsonb
      WHERE id = ${id}::uuid AND status = 'RUNNING'`,
  );
};

export const failRun = async (db: Db, id: string, now: Date): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE reconciliation_run
      SET status = 'FAILED', finished_at = ${now}::timestamptz, touched_at = now()
      WHERE id = ${id}::uuid AND status IN ('QUEUED', 'RUNNING')`,
  );
};

/** Gives up runs that have stood still for an hour, so that they don't keep the next ones out. */
export const failLostRuns = async (db: Db, now: Date): Promise<void> => {
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

/** Returns the newest run of a window that is done, if there is one. */
export const findNewestReport = async (db: Db, windowHours: number): Promise<Run | undefined> => {
  const row = await db.reconciliationRun.findFirst({
    where: { kind, windowHours, status: 'DONE' },
    orderBy: { generatedAt: 'desc' },
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
      where: { kind },
      orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.reconciliationRun.count({ where: { kind } }),
  ]);
  return { rows: rows.map(toRun), total };
};

/** Returns true where more gold orders than that were placed since `from`. */
export const hasMoreOrders = async (db: Db, from: Date, than: number): Promise<boolean> => {
  const rows = await selectRows<{ n: bigint }>(
    db,
    sql`
      SELECT count(*) AS n FROM (
        SELECT FROM gold_order WHERE created_at >= ${from}::timestamptz
        LIMIT ${than + 1}::int) AS placed`,
  );
  return (rows[0]?.n ?? 0n) > BigInt(than);
};
