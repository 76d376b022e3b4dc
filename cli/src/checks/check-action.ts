import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf, type GlobalOptions } from '../global-options.ts';
import { count } from '../io/count.ts';
import { printResult } from '../io/output.ts';
import { checkCategories, isClusterCategory, type CheckCategory } from './check-categories.ts';
import { isProblem } from './check.types.ts';
import { renderChecks, renderShort, summaryOf } from './render-checks.ts';
import { runChecks, waitForChecks, type CheckRun } from './run-checks.ts';

/** The records of the checks, as they are printed. */
export const checkOutput = z.object({
  ok: z.boolean(),
  summary: z.string(),
  records: z.array(
    z.object({
      id: z.string(),
      category: z.enum(checkCategories),
      title: z.string(),
      status: z.enum(['ok', 'warning', 'failed', 'unknown', 'not-run']),
      detail: z.string(),
      hint: z.string().nullable(),
      anchor: z.string(),
    }),
  ),
});

export interface CheckOptions {
  readonly category?: readonly CheckCategory[];
  readonly wait?: number;
  readonly short?: boolean;
  readonly strict?: boolean;
  readonly pre?: boolean;
}

/** Returns all categories that apply to an existing installation. */
export const usualCategories = (isLocal: boolean): readonly CheckCategory[] =>
  checkCategories.filter(
    (category) => category !== 'before' && (!isLocal || !isClusterCategory(category)),
  );

/** Returns the requested categories, or else all that apply to the installation. */
const categoriesOf = (
  deps: CliDeps,
  options: GlobalOptions,
  { category: given, pre = false }: CheckOptions,
): readonly CheckCategory[] => {
  const isLocal = resolveContext(deps, options).kind === 'local';
  if (pre && given !== undefined) {
    throw new CliError(
      '--pre cannot be combined with --category',
      exitCodes.usage,
      'Leave out --category.',
    );
  }
  const asked = pre ? (['before'] as const) : given;
  if (asked === undefined) return usualCategories(isLocal);
  const clusterOnly = asked.find((category) => isLocal && isClusterCategory(category));
  if (clusterOnly === undefined)
    return checkCategories.filter((category) => asked.includes(category));
  throw new CliError(
    `a local stack has no ${clusterOnly === 'before' ? 'checks before it' : clusterOnly}`,
    exitCodes.usage,
    'Name a cluster with --context, or use --in-cluster in a pod.',
  );
};

/** Ends the command with an error unless every check passed. */
const judge = ({ records, stop }: CheckRun, isStrict: boolean): void => {
  if (stop !== undefined) throw stop;
  const problems = records.filter(isProblem);
  const warnings = records.filter(({ status }) => status === 'warning');
  if (problems.length === 0 && isStrict && warnings.length > 0) {
    throw new CliError(
      `${count(warnings.length, 'check')} with a warning, and --strict is given`,
      exitCodes.findings,
      '"goldctl help checks" explains each check.',
    );
  }
  if (problems.length === 0) return;
  throw new CliError(
    `${problems.length} of ${count(records.length, 'check')} failed`,
    exitCodes.findings,
    '"goldctl help checks" explains each check.',
  );
};

/** Runs the checks, repeats them for at most `wait`, and fails unless every check passed. */
export const runCheck = async (
  deps: CliDeps,
  own: CheckOptions,
  command: Command,
): Promise<void> => {
  const { wait = 0, short = false, strict = false } = own;
  const options = globalOptionsOf(command);
  const categories = categoriesOf(deps, options, own);
  deps.stderr(`checking ${categories.join(', ')}\n`);
  const run = await waitForChecks(deps, wait, () => runChecks(deps, options, categories));
  const { records } = run;
  printResult(deps, options.output, {
    data: { ok: !records.some(isProblem), summary: summaryOf(records), records },
    text: short ? renderShort(records) : renderChecks(records),
  });
  judge(run, strict);
};
