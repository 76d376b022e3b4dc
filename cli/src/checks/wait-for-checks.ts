import type { CliDeps } from '../cli-deps.ts';
import { exitCodes } from '../io/exit-codes.ts';
import { isAmiss } from './check.types.ts';
import type { CheckRun } from './run-checks.ts';

/** Short beside a start that takes half a minute, and easy on the cluster. */
const pauseMs = 2000;

const openIssues = ({ records }: CheckRun): string => {
  const titles = [...new Set(records.filter(isAmiss).map(({ title }) => title))];
  const rest = titles.length > 3 ? ` and ${titles.length - 3} more` : '';
  return `${titles.slice(0, 3).join('; ')}${rest}`;
};

/** Credentials that a cluster does not know get no better by waiting. */
const mayPass = ({ stop }: CheckRun): boolean => stop?.exitCode !== exitCodes.denied;

/**
 * Repeats the checks until all hold or `waitMs` have passed; the last round counts, and there is
 * always one. Tells on standard error what it waits for, whenever that changes.
 */
export const waitForChecks = async (
  deps: Pick<CliDeps, 'now' | 'sleep' | 'stderr' | 'signal'>,
  waitMs: number,
  run: () => Promise<CheckRun>,
): Promise<CheckRun> => {
  const deadline = deps.now().getTime() + waitMs;
  let told = '';
  for (;;) {
    const round = await run();
    if (!round.records.some(isAmiss) || !mayPass(round)) return round;
    const leftMs = deadline - deps.now().getTime();
    if (leftMs <= 0) return round;
    const issues = openIssues(round);
    if (issues !== told) deps.stderr(`waiting: ${issues}\n`);
    told = issues;
    await deps.sleep(Math.min(pauseMs, leftMs), deps.signal);
  }
};
