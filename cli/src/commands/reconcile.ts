import { Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult } from '../io/output.ts';
import { renderReport, reportAnswer, withoutSamples } from '../reconciliation/report.ts';

const [shortest, longest] = [1, 720];

const parseHours = (text: string): number => {
  const hours = /^\d{1,3}$/u.test(text) ? Number(text) : 0;
  if (hours >= shortest && hours <= longest) return hours;
  throw new InvalidArgumentError(`It must be a whole number, ${shortest} to ${longest}.`);
};

interface Options {
  readonly windowHours?: number;
  readonly samples?: boolean;
}

const help = `
Exit code 3 when the books disagree, or when a check could not be run: what was not checked is
not known to be correct.

Examples:
  $ goldctl reconcile
  $ goldctl reconcile --window-hours 24 --samples
  $ goldctl reconcile -o json | jq '.checks[] | select(.status != "OK")'`;

/** `goldctl reconcile`: compares the books with each other and with the collaborators'. */
export const createReconcileCommand = (deps: CliDeps): Command =>
  new Command('reconcile')
    .description('compare the books with each other and with the collaborators’ books')
    .option('--window-hours <hours>', 'hours to look back (default: 72)', parseHours)
    .option('--samples', 'show up to 20 rows for each finding')
    .addHelpText('after', help)
    .action(async ({ windowHours, samples = false }: Options, command: Command) => {
      const options = globalOptionsOf(command);
      const query = windowHours === undefined ? {} : { window_hours: windowHours };
      const report = await withAdmin(deps, options, ({ api }) =>
        api(reportAnswer, (client) => client.get('/v1/reconciliation', { query })),
      );
      printResult(deps, options.output, {
        data: samples ? report : withoutSamples(report),
        text: renderReport(report, { samples }),
      });
      const { findings, errors } = report.summary;
      if (findings + errors === 0) return;
      throw new CliError(
        'not every reconciliation check passed',
        exitCodes.findings,
        ...(samples || findings === 0 ? [] : ['--samples shows the rows of each finding.']),
      );
    });
