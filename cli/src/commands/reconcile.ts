import { Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { parseDuration } from '../io/parse-duration.ts';
import type { ReconcileOptions } from '../reconciliation/reconcile-action.ts';

const load = () => import('../reconciliation/reconcile-action.ts');

const [shortest, longest] = [1, 720];

const parseHours = (text: string): number => {
  const hours = /^\d{1,3}$/u.test(text) ? Number(text) : 0;
  if (hours >= shortest && hours <= longest) return hours;
  throw new InvalidArgumentError(`It must be a whole number, ${shortest} to ${longest}.`);
};

const help = `
The report of a large window is that of the last run, which a worker makes once an hour; --fresh
has one made now and follows it.

Exit code 3 when the books disagree, or when a check could not be run: what was not checked is
not known to be correct. Exit code 124 when a fresh run is not over in time.

Examples:
  $ goldctl reconcile
  $ goldctl reconcile --window-hours 24 --samples
  $ goldctl reconcile --fresh --window-hours 24
  $ goldctl reconcile --check payout_stuck --csv > stuck.csv
  $ goldctl reconcile -o json | jq '.checks[] | select(.status != "OK")'`;

/** Creates `goldctl reconcile`, which compares the books with each other and with the collaborators'. */
export const createReconcileCommand = (deps: CliDeps): Command =>
  new Command('reconcile')
    .option('--window-hours <hours>', 'hours to look back (default: 72)', parseHours)
    .option('--samples', 'show up to 20 rows for each finding')
    .option('--check <id>', 'report only this check')
    .option('--csv', 'write the samples of --check as CSV')
    .option('--fresh', 'have a worker compare the books now, and wait for the result')
    .option('--timeout <duration>', 'how long to wait for --fresh (default: 10m)', parseDuration)
    .addHelpText('after', help)
    .action(async (own: ReconcileOptions, command: Command) =>
      (await load()).reconcile(deps, own, command),
    );
