import { Command, InvalidArgumentError } from 'commander';
import type { CheckOptions } from '../checks/check-action.ts';
import { checkCategories, type CheckCategory } from '../checks/check-categories.ts';
import type { CliDeps } from '../cli-deps.ts';
import { parseDuration } from '../io/parse-duration.ts';

const load = () => import('../checks/check-action.ts');

const addCategory = (
  text: string,
  before: readonly CheckCategory[] = [],
): readonly CheckCategory[] => {
  const found = checkCategories.find((category) => category === text);
  if (found !== undefined) return [...before, found];
  throw new InvalidArgumentError(`It must be one of ${checkCategories.join(', ')}.`);
};

const help = `
Categories: ${checkCategories.join(', ')};
the first one (--pre) and the last four apply only to a cluster.

Exit code 0 when every check passes (warnings and checks that were not run do not count), 3 when
a check failed or its result is unknown, 4 or 5 when there was nothing to check.

Examples:
  $ goldctl check
  $ goldctl check --category stores --category migrations
  $ goldctl --context staging --namespace digital-gold check --wait 5m
  $ goldctl --context staging --namespace digital-gold check --pre
  $ goldctl check --in-cluster --admin-url http://digital-gold-admin:4000
  $ goldctl check -o json | jq '.records[] | select(.status != "ok")'`;

/** Creates `goldctl check`, which runs the checks of an installation. */
export const createCheckCommand = (deps: CliDeps): Command =>
  new Command('check')
    .option('--category <name>', 'run only this category; can be repeated', addCategory)
    .option(
      '--wait <duration>',
      'retry until every check passes, for at most this long',
      parseDuration,
    )
    .option('--short', 'show only the checks that did not pass')
    .option('--strict', 'fail for warnings too')
    .option('--pre', 'check what an installation or an upgrade of a release needs before it')
    .addHelpText('after', help)
    .action(async (own: CheckOptions, command: Command) =>
      (await load()).runCheck(deps, own, command),
    );
