import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { askAdmin } from '../desk/ask-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { count } from '../io/count.ts';
import { printResult, renderTable } from '../io/output.ts';

/** The readiness report of the admin API. */
export const readinessForm = z.looseObject({
  ready: z.boolean(),
  items: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      blocking: z.boolean(),
      status: z.enum(['PASS', 'FAIL', 'UNKNOWN']),
      detail: z.string(),
      /** The reason why the item passes now but will soon fail. */
      warning: z.string().optional(),
      evidence: z
        .looseObject({
          value: z.string(),
          reference: z.string().nullable(),
          expiresOn: z.string().nullable(),
        })
        .optional(),
    }),
  ),
});

/**
 * Prints the readiness report.
 * @throws CliError findings if an item closes buying
 */
export const showReadiness = async (deps: CliDeps, command: Command): Promise<void> => {
  const report = await askAdmin(deps, command, readinessForm, (client) =>
    client.get('/v1/readiness'),
  );
  const rows = report.items.map(({ id, status, blocking, detail, warning }) => [
    id,
    status,
    blocking ? 'yes' : 'no',
    warning === undefined ? detail : `${detail} ${warning}`,
  ]);
  printResult(deps, globalOptionsOf(command).output, {
    data: report,
    text: renderTable(['item', 'status', 'blocks buying', 'detail'], rows),
  });
  if (report.ready) return;
  const open = report.items.filter(({ blocking, status }) => blocking && status !== 'PASS').length;
  throw new CliError(
    `buying stays closed: ${count(open, 'item')} not in place`,
    exitCodes.findings,
    '"goldctl help checks business" explains the items.',
  );
};
