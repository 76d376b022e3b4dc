import type { Bps } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { Connections } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createAgreements } from './agreements.store.ts';
import { allChecks } from './checks/all-checks.ts';
import { createRead } from './create-read.ts';
import { createCheckRules } from './database-rules/check-rules.ts';
import type { FetchLimits } from './fetch-each.ts';
import {
  createReconciliationAdminRoutes,
  type AnsweredReport,
} from './reconciliation.admin.routes.ts';
import { createRunJobs, type MakeReport, type RunChecks } from './reconciliation.jobs.ts';
import { createRunSchedule } from './reconciliation.sweeps.ts';
import type { Collaborators, Report } from './reconciliation.types.ts';
import type { RunsDeps } from './request-run.ts';
import { runLimitsOf } from './run-limits.ts';
import { runReport } from './run-report.ts';
import { findNewestRun, hasMoreOrders } from './runs.store.ts';

interface ReconciliationDeps extends Omit<Collaborators, 'payoutProvider'>, RunsDeps {
  readonly logger: Logger;
  readonly payoutProvider?: Collaborators['payoutProvider'];
  /** The tolerance towards the provider's price (contract: money > Provider's price). */
  readonly priceToleranceBps: Bps;
  /**
   * The connections on which the rules are checked. Absent in a process that declares the job of runs
   * but does not run it.
   */
  readonly connections?: Pick<Connections, 'createClient'>;
  /** Bounds a report that a request waits for. */
  readonly limits?: FetchLimits;
  /** Bounds a scheduled run, for which no operator waits. */
  readonly runLimits?: FetchLimits;
  /** The maximum number of gold orders in a window for which a request runs the checks itself. */
  readonly smallWindow?: number;
}

/**
 * The default limits of a report that a request waits for. A payout provider allows 5 to 10 calls a
 * second, and a call takes some tenths of a second. An operator's request should not wait much
 * longer than 15 s.
 */
const usualLimits: FetchLimits = { maxRequests: 1000, concurrency: 3, withinMs: 15_000 };

const [usualSmallWindow, usualPerSecond] = [500, 10];
const hourMs = 60 * 60_000;

/** Returns the check of the rules if the process runs the job of runs. */
const rulesOf = ({ connections, logger }: ReconciliationDeps): Pick<RunChecks, 'checkRules'> =>
  connections === undefined ? {} : { checkRules: createCheckRules({ connections, logger }) };

/** Wires reconciliation, which changes none of the books that it compares. */
export const createReconciliation = (
  deps: ReconciliationDeps,
): {
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** Makes the report of a window for a request. */
  report(windowHours: number): Promise<Report>;
  /** Makes the report of a window for a run. */
  readonly makeRun: MakeReport;
} => {
  const { db, inTransaction, clock, logger, limits = usualLimits } = deps;
  const { runLimits = runLimitsOf(usualPerSecond), smallWindow = usualSmallWindow } = deps;
  const { gateways, goldProvider, payoutProvider, priceToleranceBps } = deps;
  const read = createRead(inTransaction);
  const base = { read, gateways, goldProvider, payoutProvider, priceToleranceBps };
  const agreements = createAgreements({ db, clock });
  const running = new Map<number, Promise<Report>>();

  /** Returns the report of this window that is in progress, or starts it. */
  const report = (windowHours: number): Promise<Report> => {
    const inProgress = running.get(windowHours);
    if (inProgress !== undefined) return inProgress;
    const now = clock.now();
    const context = { ...base, limits };
    const options = { checks: allChecks, context, now, windowHours, logger };
    const started = runReport(options).finally(() => running.delete(windowHours));
    running.set(windowHours, started);
    return started;
  };

  /**
   * Returns the newest stored run if it is at most `maxAgeSeconds` old. Without a maximum age,
   * returns the newest stored run of any age if the window is too large for one request. Otherwise
   * runs the checks now.
   */
  const answer = async (
    windowHours: number,
    maxAgeSeconds: number | undefined,
  ): Promise<AnsweredReport> => {
    const from = addMs(clock.now(), -windowHours * hourMs);
    const isStoredWanted =
      maxAgeSeconds === undefined ? await hasMoreOrders(db, from, smallWindow) : maxAgeSeconds > 0;
    const stored = isStoredWanted
      ? await findNewestRun(db, { kind: 'REPORT', windowHours })
      : undefined;
    if (stored?.report !== undefined) {
      const { report: found, id: runId } = stored;
      const oldest = addMs(clock.now(), -(maxAgeSeconds ?? 0) * 1000);
      const isYoungEnough = maxAgeSeconds === undefined || found.generatedAt >= oldest;
      if (isYoungEnough) return { report: found, runId };
    }
    return { report: await report(windowHours) };
  };

  const makeRun: MakeReport = (windowHours, onCheck) => {
    const context = { ...base, limits: runLimits, agreements };
    const now = clock.now();
    const options = { checks: allChecks, context, now, windowHours, logger };
    return runReport({ ...options, ...(onCheck !== undefined && { onCheck }) });
  };
  return {
    adminRoutes: createReconciliationAdminRoutes(deps, answer),
    jobs: createRunJobs(deps, { makeReport: makeRun, ...rulesOf(deps) }),
    sweeps: [createRunSchedule(deps)],
    report,
    makeRun,
  };
};
