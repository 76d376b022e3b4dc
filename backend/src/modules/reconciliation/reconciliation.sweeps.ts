import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { firstId } from '../../platform/ids/first-id.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
// Not imported by the index, since its sweep runner cannot be loaded from source, as the demo does.
import { enqueue } from '../../platform/jobs/enqueue.ts';
import type { Purge, Sweep } from '../../platform/jobs/sweep.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { rulesRun, type RunsDeps } from './request-run.ts';
import { proveAgain, proveBatch } from './prove-holdings.ts';
import { runJob } from './reconciliation.jobs.ts';
import { usualHours } from './reconciliation.schemas.ts';
import { insertScheduledRun, markLostRunsFailed } from './runs.store.ts';

const dayMs = 24 * 60 * 60_000;

/** The time in ms for which agreements are kept, which is the longest window plus a day. */
const agreementMs = 31 * dayMs;

const runMs = 90 * dayMs;

/** Creates the purges of agreements that no window reaches, and of old runs. */
export const createReconciliationPurges = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): readonly Purge[] => [
  {
    name: 'reconciliation-purge-agreements',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM reconciliation_agreement WHERE ctid IN (
            SELECT ctid FROM reconciliation_agreement
            WHERE agreed_at < ${addMs(clock.now(), -agreementMs)}::timestamptz
            LIMIT ${limit}::int)`,
      ),
  },
  {
    name: 'reconciliation-purge-runs',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM reconciliation_run WHERE id IN (
            SELECT id FROM reconciliation_run
            WHERE requested_at < ${addMs(clock.now(), -runMs)}::timestamptz
            ORDER BY requested_at LIMIT ${limit}::int)`,
      ),
  },
];

/** Reads the real time, because the schedule does not follow the business clock. */
const readNow = async (db: Db): Promise<Date> => {
  const [row] = await selectRows<{ at: Date }>(db, sql`SELECT now() AS at`);
  invariant(row, 'the database has a clock');
  return row.at;
};

/** Creates the sweep that queues due runs. The report runs once an hour, the rules once a night. */
export const createRunSchedule = ({
  db,
  inTransaction,
  clock,
  random,
}: Omit<RunsDeps, 'audit'>): Sweep => {
  let startedAt: Date | undefined;
  return {
    name: 'reconciliation-schedule',
    async run() {
      await markLostRunsFailed(db, clock.now());
      startedAt ??= await readNow(db);
      for (const due of [{ kind: 'REPORT', windowHours: usualHours }, rulesRun] as const) {
        const run = { ...due, id: random.uuid(), startedAt };
        await inTransaction(async (tx) => {
          if (await insertScheduledRun(tx, run, clock.now())) await enqueue(tx, runJob(run.id));
        });
      }
    },
  };
};

/**
 * Creates the sweep that proves all listed holdings, and one batch of all holdings in turn. The
 * batch finds changes that bypassed the triggers which list a changed holding.
 */
export const createProveHoldingsSweep = (deps: {
  readonly db: Db;
  readonly logger: Pick<Logger, 'error'>;
}): Sweep => {
  const { db, logger } = deps;
  let provenUpTo = firstId;
  return {
    name: 'reconciliation-prove-holdings',
    async run(signal) {
      let [after, drifted] = [0n, 0];
      while (!signal.aborted) {
        const batch = await proveBatch(db, after);
        if (batch === undefined) break;
        drifted += batch.drifted;
        after = batch.last;
      }
      if (drifted > 0) logger.error({ holdings: drifted }, 'holdings disagree with their books');
      provenUpTo = (await proveAgain(db, provenUpTo)) ?? firstId;
    },
  };
};
