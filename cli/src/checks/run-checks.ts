import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { CheckCategory } from './check-categories.ts';
import {
  isProblem,
  toRecord,
  unknownBecause,
  type Check,
  type CheckRecord,
} from './check.types.ts';
import { checks, contextFound } from './checks.ts';
import { openInstallation, type Installation } from './installation.ts';

/** The records of one pass over the checks. */
export interface CheckRun {
  readonly records: readonly CheckRecord[];
  /** Set when there was nothing to look at: all other checks were left out. */
  readonly stop: CliError | undefined;
}

const runCheck = async (check: Check, installation: Installation): Promise<CheckRecord[]> => {
  try {
    return (await check.run(installation)).map((finding) => toRecord(check, finding));
  } catch (error) {
    return [toRecord(check, unknownBecause(error))];
  }
};

const stopped = (stop: CliError): CheckRun => {
  const { message: detail, hint } = stop;
  return { records: [toRecord(contextFound, { status: 'failed', detail, hint })], stop };
};

/**
 * Runs every check of the categories once, in the order in which their records are shown.
 * @throws CliError usage
 */
export const runChecks = async (
  deps: CliDeps,
  options: GlobalOptions,
  categories: readonly CheckCategory[],
): Promise<CheckRun> => {
  let installation: Installation;
  try {
    installation = await openInstallation(deps, options);
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof CliError) || error.exitCode === exitCodes.usage) throw error;
    return stopped(error);
  }
  const chosen = categories.flatMap((name) => checks.filter(({ category }) => category === name));
  const found = await Promise.all(chosen.map((check) => runCheck(check, installation)));
  deps.signal.throwIfAborted();
  return { records: found.flat(), stop: undefined };
};

/** Short compared with a start of half a minute, and little load for the cluster. */
const pauseMs = 2000;

const describeProblems = ({ records }: CheckRun): string => {
  const titles = [...new Set(records.filter(isProblem).map(({ title }) => title))];
  const rest = titles.length > 3 ? ` and ${titles.length - 3} more` : '';
  return `${titles.slice(0, 3).join('; ')}${rest}`;
};

/** Credentials that a cluster does not know get no better by waiting. */
const canImprove = ({ stop }: CheckRun): boolean => stop?.exitCode !== exitCodes.denied;

/**
 * Retries `run` until every check passes, for at most `waitMs`. The last pass counts, and there is
 * always one. Prints what it waits for to standard error, whenever that changes.
 */
export const waitForChecks = async (
  deps: Pick<CliDeps, 'now' | 'sleep' | 'stderr' | 'signal'>,
  waitMs: number,
  run: () => Promise<CheckRun>,
): Promise<CheckRun> => {
  const deadline = deps.now().getTime() + waitMs;
  let printed = '';
  for (;;) {
    const pass = await run();
    if (!pass.records.some(isProblem) || !canImprove(pass)) return pass;
    const leftMs = deadline - deps.now().getTime();
    if (leftMs <= 0) return pass;
    const problems = describeProblems(pass);
    if (problems !== printed) deps.stderr(`waiting: ${problems}\n`);
    printed = problems;
    await deps.sleep(Math.min(pauseMs, leftMs), deps.signal);
  }
};
