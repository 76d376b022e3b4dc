import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import type { GlobalOptions } from '../global-options.ts';
import { exitCodes } from '../io/exit-codes.ts';
import { askAdminReport, type AdminReport } from './admin-report.ts';
import { openCheckTarget, type CheckTarget, type HealthRoute } from './check-target.ts';
import type { CheckCategory, CheckRecord } from './check.types.ts';
import { makeRecord } from './make-record.ts';
import {
  cacheNeed,
  databaseNeed,
  migrationsNeed,
  needRecord,
  processRecords,
} from './probe-records.ts';
import { askHealth } from './process-probe.ts';
import { findInReport, readinessRecords, signInRecord } from './readiness-records.ts';
import { switchRecord } from './switch-records.ts';

/** What one round of checks came to. */
export interface CheckRun {
  readonly records: readonly CheckRecord[];
  /** Set when there was nothing to look at: all else was left out. */
  readonly stop: CliError | undefined;
}

interface Round {
  readonly deps: CliDeps;
  readonly target: CheckTarget;
  readonly report: () => Promise<AdminReport>;
}

const healthRecord = async (
  { process, url }: HealthRoute,
  signal: AbortSignal,
): Promise<CheckRecord> => {
  const { isWell, detail } = await askHealth(url, signal);
  const title = `the ${process} API answers`;
  return makeRecord('api-answers', { title, status: isWell ? 'ok' : 'failed', detail });
};

const recordsOf = async (
  { deps, target, report }: Round,
  category: CheckCategory,
): Promise<CheckRecord[]> => {
  switch (category) {
    case 'configuration':
      return [
        makeRecord('context-found', { status: 'ok', detail: target.description }),
        signInRecord(await report()),
        await switchRecord(deps, target.context),
      ];
    case 'processes': {
      const answers = target.healthRoutes.map((route) => healthRecord(route, deps.signal));
      return [...(await Promise.all(answers)), ...processRecords(await target.probes())];
    }
    case 'stores': {
      const probes = await target.probes();
      return [needRecord(databaseNeed, probes), needRecord(cacheNeed, probes)];
    }
    case 'migrations': {
      // The report names what is missing; the processes only say that something is.
      const told = findInReport(await report(), 'database-migrations');
      return [told ?? needRecord(migrationsNeed, await target.probes())];
    }
    case 'collaborators':
    case 'business':
      return readinessRecords(await report()).filter((record) => record.category === category);
    case 'deployments':
    case 'pods':
    case 'config-maps':
    case 'secrets':
      return target.clusterRecords(category);
    default:
      return category satisfies never;
  }
};

const stopped = (stop: CliError): CheckRun => {
  const { message: detail, hint } = stop;
  const found = { status: 'failed', detail, ...(hint !== undefined && { hint }) } as const;
  return { records: [makeRecord('context-found', found)], stop };
};

/**
 * Looks at everything in the categories asked for, once, and says on standard error at what.
 * @throws CliError usage
 */
export const runChecks = async (
  deps: CliDeps,
  options: GlobalOptions,
  categories: readonly CheckCategory[],
): Promise<CheckRun> => {
  let target: CheckTarget;
  try {
    target = await openCheckTarget(deps, options);
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof CliError) || error.exitCode === exitCodes.usage) throw error;
    return stopped(error);
  }
  let asked: Promise<AdminReport> | undefined;
  const report = (): Promise<AdminReport> => (asked ??= askAdminReport(deps, options));
  const found = await Promise.all(
    categories.map((category) => recordsOf({ deps, target, report }, category)),
  );
  deps.signal.throwIfAborted();
  return { records: found.flat(), stop: undefined };
};
