import { addMs } from '../../platform/clock/clock.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import {
  maxSamples,
  type Check,
  type CheckContext,
  type CheckResult,
} from './reconciliation.types.ts';
import type { Findings, Report } from './reconciliation.types.ts';

const hourMs = 60 * 60_000;

const statusOf = ({ count, incomplete }: Findings): CheckResult['status'] => {
  if (incomplete !== undefined) return 'ERROR';
  return count === 0 ? 'OK' : 'FINDINGS';
};

/**
 * Runs one check. An incomplete check has the status ERROR and its findings so far. A check that
 * throws has the status ERROR and no findings.
 */
const runCheck = async (
  check: Check,
  context: CheckContext,
  logger: Logger,
): Promise<CheckResult> => {
  const { id, title, severity } = check;
  const head = { id, title, severity };
  try {
    const found = await check.run(context);
    const { count, samples, incomplete: detail } = found;
    if (detail !== undefined) logger.warn({ check: id, detail }, 'a check is incomplete');
    return {
      ...head,
      status: statusOf(found),
      count,
      samples: samples.slice(0, maxSamples),
      ...(detail !== undefined && { detail }),
    };
  } catch (error) {
    logger.error({ check: id, err: describeError(error) }, 'a check could not be run');
    const detail = 'the check could not be run; the log says why';
    return { ...head, status: 'ERROR', count: 0, samples: [], detail };
  }
};

interface RunReport {
  readonly checks: readonly Check[];
  readonly context: Omit<CheckContext, 'now' | 'from'>;
  readonly now: Date;
  readonly windowHours: number;
  readonly logger: Logger;
  /** Called after each check. */
  readonly onCheck?: () => Promise<void>;
}

/**
 * Runs all checks over the window that ends now. Checks that only read the database run one after
 * the other, so that a report takes one connection at a time. Checks that call a collaborator run
 * concurrently, since each calls a different one.
 */
export const runReport = async (options: RunReport): Promise<Report> => {
  const { checks, now, windowHours, logger } = options;
  const context = { ...options.context, now, from: addMs(now, -windowHours * hourMs) };
  const results = new Map<Check, CheckResult>();
  const run = async (check: Check): Promise<void> => {
    results.set(check, await runCheck(check, context, logger));
    await options.onCheck?.();
  };
  for (const check of checks.filter(({ callsCollaborator }) => callsCollaborator === undefined))
    await run(check);
  await Promise.all(checks.filter(({ callsCollaborator }) => callsCollaborator === true).map(run));
  return {
    generatedAt: now,
    windowHours,
    checks: checks.flatMap((check) => results.get(check) ?? []),
  };
};
