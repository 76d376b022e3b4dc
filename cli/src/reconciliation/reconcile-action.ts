import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult } from '../io/output.ts';
import { followFreshRun } from './fresh-run.ts';
import { onlyCheck, renderReport, reportAnswer, withoutSamples } from './report.ts';
import { toCsv } from './samples-csv.ts';

export interface ReconcileOptions {
  readonly windowHours?: number;
  readonly samples?: boolean;
  /** The only check that is shown and that decides the exit code. */
  readonly check?: string;
  readonly csv?: boolean;
  /** True if a worker must run the checks again, even if a report is stored. */
  readonly fresh?: boolean;
  /** The time limit in ms of a fresh run. */
  readonly timeout?: number;
}

const usualTimeoutMs = 10 * 60_000;

/** Returns the report of the admin API, or that of a fresh run. */
const readReport = (
  deps: CliDeps,
  { windowHours, fresh = false, timeout = usualTimeoutMs }: ReconcileOptions,
  command: Command,
) => {
  if (fresh) return followFreshRun(deps, command, { windowHours, timeoutMs: timeout });
  const query = windowHours === undefined ? {} : { window_hours: windowHours };
  return withAdmin(deps, globalOptionsOf(command), ({ api }) =>
    api(reportAnswer, (client) => client.get('/v1/reconciliation', { query })),
  );
};

/**
 * Prints the report of reconciliation.
 * @throws CliError findings unless every check passed
 */
export const reconcile = async (
  deps: CliDeps,
  own: ReconcileOptions,
  command: Command,
): Promise<void> => {
  const { samples = false, check, csv = false } = own;
  const options = globalOptionsOf(command);
  if (csv && check === undefined) {
    throw new CliError(
      '--csv needs the check whose samples it writes',
      exitCodes.usage,
      'Give --check <id>.',
    );
  }
  const whole = await readReport(deps, own, command);
  const report = check === undefined ? whole : onlyCheck(whole, check);
  if (csv) deps.stdout(toCsv(report.checks.flatMap((shown) => shown.samples)));
  else
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
};
