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

/** The records of one run of the checks. */
export interface CheckRun {
  readonly records: readonly CheckRecord[];
  /** The error of an installation that can't be reached, so that no other check was run. */
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

/** The pause in ms between runs, which is short compared with a start of half a minute. */
const pauseMs = 2000;

const describeProblems = ({ records }: CheckRun): string => {
  const titles = [...new Set(records.filter(isProblem).map(({ title }) => title))];
  const suffix = titles.length > 3 ? ` and ${titles.length - 3} more` : '';
  return `${titles.slice(0, 3).join('; ')}${suffix}`;
};

/** Returns false if the cluster refused the credentials, since a repeat would be refused too. */
const canImprove = ({ stop }: CheckRun): boolean => stop?.exitCode !== exitCodes.denied;

/**
 * Repeats `run` until every check passes, for at most `waitMs`, and returns the last result. There is
 * always one run. Prints the problems to standard error whenever they change.
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
    const remainingMs = deadline - deps.now().getTime();
    if (remainingMs <= 0) return pass;
    const problems = describeProblems(pass);
    if (problems !== printed) deps.stderr(`waiting: ${problems}\n`);
    printed = problems;
    await deps.sleep(Math.min(pauseMs, remainingMs), deps.signal);
  }
};
