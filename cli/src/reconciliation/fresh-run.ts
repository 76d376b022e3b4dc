import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { lookUntil } from '../clients/look-until.ts';
import { globalOptionsOf } from '../global-options.ts';
import { reportAnswer } from './report.ts';

const run = z.looseObject({
  id: z.string(),
  status: z.enum(['QUEUED', 'RUNNING', 'DONE', 'FAILED']),
  checksDone: z.int(),
});
const runReport = run.extend({ report: reportAnswer.nullable() });

export interface FreshRun {
  readonly windowHours: number | undefined;
  readonly timeoutMs: number;
}

/**
 * Starts a run of the checks by a worker, or joins the run of this window that is in progress. Prints
 * its progress and returns its report. A worker keeps to the rate limits of the collaborators, which
 * takes too long for a request.
 * @throws CliError failed if a run did not finish, timedOut if it has not finished in time
 */
export const followFreshRun = (
  deps: CliDeps,
  command: Command,
  { windowHours, timeoutMs }: FreshRun,
): Promise<z.output<typeof reportAnswer>> =>
  withAdmin(deps, globalOptionsOf(command), async ({ api }) => {
    const body = { kind: 'REPORT' as const, ...(windowHours !== undefined && { windowHours }) };
    const { id } = await api(run, (client) => client.post('/v1/reconciliation/runs', { body }));
    let printed = '';
    const look = async () => {
      const found = await api(runReport, (client) =>
        client.get('/v1/reconciliation/runs/{id}', { path: { id } }),
      );
      if (found.report !== null || found.status === 'FAILED') return found;
      const progress = `run ${id}: ${found.status}, ${found.checksDone} checks done\n`;
      if (progress !== printed) deps.stderr(progress);
      printed = progress;
      return found;
    };
    const { report, status } = await lookUntil(deps, {
      look,
      isOver: (found) => found.report !== null || found.status === 'FAILED',
      untilMs: deps.now().getTime() + timeoutMs,
    });
    if (report !== null) return report;
    if (status === 'FAILED') {
      throw new CliError(
        `run ${id} did not finish`,
        exitCodes.failed,
        '"goldctl jobs list" shows why, where its job was given up.',
      );
    }
    throw new CliError(
      `run ${id} has not finished yet`,
      exitCodes.timedOut,
      'It goes on. The same command joins it; "goldctl help runbook jobs-stand-still".',
    );
  });
