import { Command, InvalidArgumentError } from 'commander';
import {
  checkCategories,
  isClusterCategory,
  isProblem,
  type CheckCategory,
} from '../checks/check.types.ts';
import { renderChecks, renderShort, summaryOf } from '../checks/render-checks.ts';
import { runChecks, waitForChecks, type CheckRun } from '../checks/run-checks.ts';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf, type GlobalOptions } from '../global-options.ts';
import { printResult } from '../io/output.ts';
import { parseDuration } from '../io/parse-duration.ts';

interface Options {
  readonly category?: readonly CheckCategory[];
  readonly wait?: number;
  readonly short?: boolean;
}

const addCategory = (
  text: string,
  before: readonly CheckCategory[] = [],
): readonly CheckCategory[] => {
  const found = checkCategories.find((category) => category === text);
  if (found !== undefined) return [...before, found];
  throw new InvalidArgumentError(`It must be one of ${checkCategories.join(', ')}.`);
};

/** Returns the requested categories, else all that apply to the installation. */
const categoriesOf = (
  deps: CliDeps,
  options: GlobalOptions,
  asked: Options['category'],
): readonly CheckCategory[] => {
  const isLocal = resolveContext(deps, options).kind === 'local';
  if (asked === undefined) {
    return checkCategories.filter((category) => !isLocal || !isClusterCategory(category));
  }
  const clusterOnly = asked.find((category) => isLocal && isClusterCategory(category));
  if (clusterOnly === undefined)
    return checkCategories.filter((category) => asked.includes(category));
  throw new CliError(
    `a local stack has no ${clusterOnly}`,
    exitCodes.usage,
    'Name a cluster with --context, or use --in-cluster in a pod.',
  );
};

/** Ends the command with an error unless every check passed. */
const judge = ({ records, stop }: CheckRun): void => {
  if (stop !== undefined) throw stop;
  const problems = records.filter(isProblem);
  if (problems.length === 0) return;
  throw new CliError(
    `${problems.length} of ${records.length} checks failed`,
    exitCodes.findings,
    'cli/docs/checks.md explains each check.',
  );
};

const help = `
Categories: ${checkCategories.join(', ')};
the last four apply only to a cluster.

Exit code 0 when every check passes (warnings and checks that were not run do not count), 3 when
a check failed or its result is unknown, 4 or 5 when there was nothing to check.

Examples:
  $ goldctl check
  $ goldctl check --category stores --category migrations
  $ goldctl --context staging --namespace digital-gold check --wait 5m
  $ goldctl check --in-cluster --admin-url http://digital-gold-admin:4000
  $ goldctl check -o json | jq '.records[] | select(.status != "ok")'`;

/** `goldctl check`: checks that everything the service needs is in place. */
export const createCheckCommand = (deps: CliDeps): Command =>
  new Command('check')
    .description('check that everything the service needs is in place')
    .option('--category <name>', 'run only this category; can be repeated', addCategory)
    .option(
      '--wait <duration>',
      'retry until every check passes, for at most this long',
      parseDuration,
    )
    .option('--short', 'show only the checks that did not pass')
    .addHelpText('after', help)
    .action(async ({ category, wait = 0, short = false }: Options, command: Command) => {
      const options = globalOptionsOf(command);
      const categories = categoriesOf(deps, options, category);
      deps.stderr(`checking ${categories.join(', ')}\n`);
      const run = await waitForChecks(deps, wait, () => runChecks(deps, options, categories));
      const { records } = run;
      printResult(deps, options.output, {
        data: { ok: !records.some(isProblem), summary: summaryOf(records), records },
        text: short ? renderShort(records) : renderChecks(records),
      });
      judge(run);
    });
