import { z } from 'zod';
import type { Clock } from '../../platform/clock/clock.ts';
import { selectRows, sql, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { JobRequest, Sweep, TaskList } from '../../platform/jobs/index.ts';
// Not by the index, whose sweep runner the demo cannot load from its sources.
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { CheckRules } from './database-rules/check-rules.ts';
import type { Report } from './reconciliation.types.ts';
import { usualHours } from './reconciliation.schemas.ts';
import {
  addOperatorRun,
  addScheduledRun,
  countCheck,
  failLostRuns,
  failRun,
  findOpenRun,
  finishRun,
  startRun,
  type Run,
  type RunOf,
} from './runs.store.ts';

const RUN_TASK = 'reconciliation.run';

/** Runs go one after another over the whole fleet. */
const runJob = (runId: string): JobRequest => ({
  task: RUN_TASK,
  payload: { runId },
  key: `${RUN_TASK}:${runId}`,
  queue: 'reconciliation',
  maxAttempts: 5,
});

const runPayload = z.object({ runId: z.uuid() });

export interface RunsDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly audit: Auditor;
}

/** Makes the report of a window, and calls `onCheck` after each check. */
export type MakeReport = (windowHours: number, onCheck?: () => Promise<void>) => Promise<Report>;

/** The rules cover all rows: their window only says how often they are checked. */
export const rulesRun: RunOf = { kind: 'DATABASE_RULES', windowHours: 24 };

/** The makers of what the runs find, each by its kind. */
export interface RunMakers {
  readonly makeReport: MakeReport;
  /** Absent in a process that makes no runs. */
  readonly checkRules?: CheckRules;
}

/**
 * Starts a run of a window, or returns the run of the same window that is in progress.
 * @throws AppError BUSY where the run that was in progress ended just now
 */
export const requestRun = async (
  { inTransaction, clock, random, audit }: RunsDeps,
  of: RunOf,
  by: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Run> =>
  inTransaction(async (tx) => {
    const id = random.uuid();
    const asked = { ...of, id, requestedBy: by.principal.adminId };
    const run = await addOperatorRun(tx, asked, clock.now());
    if (run === undefined) {
      const open = await findOpenRun(tx, of);
      if (open === undefined) throw new AppError('BUSY');
      return open;
    }
    await enqueue(tx, runJob(id));
    await audit.record(tx, {
      ...adminActor(by.principal, by.context),
      action: 'reconciliation.run',
      target: { type: 'reconciliation_run', id },
      after: { ...of },
    });
    return run;
  });

/** Creates the job that makes a run and stores what it found. */
export const createRunJobs = (
  { db, clock }: Pick<RunsDeps, 'db' | 'clock'>,
  { makeReport, checkRules }: RunMakers,
): TaskList => ({
  async [RUN_TASK](payload, { attempt, maxAttempts }) {
    const { runId } = runPayload.parse(payload);
    const run = await startRun(db, runId, clock.now());
    if (run === undefined) return;
    const onCheck = () => countCheck(db, runId);
    try {
      if (run.kind === 'REPORT') {
        const { generatedAt, checks: found } = await makeReport(run.windowHours, onCheck);
        await finishRun(db, runId, { generatedAt, found }, clock.now());
      } else {
        invariant(checkRules, 'a process that makes runs checks rules');
        const generatedAt = clock.now();
        await finishRun(db, runId, { generatedAt, found: await checkRules(onCheck) }, clock.now());
      }
    } catch (error) {
      if (attempt >= maxAttempts) await failRun(db, runId, clock.now());
      throw error;
    }
  },
});

/** Real time: one run an hour, whatever the business clock shows. */
const readNow = async (db: Db): Promise<Date> => {
  const [row] = await selectRows<{ at: Date }>(db, sql`SELECT now() AS at`);
  invariant(row, 'the database has a clock');
  return row.at;
};

/** Creates the sweep that queues the runs that are due: the report once an hour, the rules nightly. */
export const createRunSchedule = ({
  db,
  inTransaction,
  clock,
  random,
}: Omit<RunsDeps, 'audit'>): Sweep => {
  let startedAt: Promise<Date> | undefined;
  return {
    name: 'reconciliation-schedule',
    async run() {
      await failLostRuns(db, clock.now());
      startedAt ??= readNow(db);
      for (const due of [{ kind: 'REPORT', windowHours: usualHours }, rulesRun] as const) {
        const run = { ...due, id: random.uuid(), startedAt: await startedAt };
        await inTransaction(async (tx) => {
          if (await addScheduledRun(tx, run, clock.now())) await enqueue(tx, runJob(run.id));
        });
      }
    },
  };
};
