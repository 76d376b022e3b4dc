import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { RefusalError } from '../clients/admin-api.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult } from '../io/output.ts';
import { orderAnswer, renderOrder } from '../orders/order.ts';

const tellMissing =
  (id: string) =>
  (error: unknown): never => {
    if (!(error instanceof RefusalError) || error.code !== 'NOT_FOUND') throw error;
    throw new CliError(`there is no gold order ${id}`, exitCodes.failed);
  };

/** `goldctl order`: shows gold orders. */
export const createOrderCommand = (deps: CliDeps): Command => {
  const order = new Command('order').description('show gold orders');
  order
    .command('show')
    .description('show one order: its amounts, payments, payout, and history with actor and cause')
    .argument('<id>', "the order's id")
    .addHelpText(
      'after',
      `
Examples:
  $ goldctl order show 019a8c7e-0000-7000-8000-000000000001
  $ goldctl order show 019a8c7e-0000-7000-8000-000000000001 -o json | jq .events`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = globalOptionsOf(command);
      const found = await withAdmin(deps, options, ({ api }) =>
        api(orderAnswer, (client) => client.get('/v1/orders/{id}', { path: { id } })).catch(
          tellMissing(id),
        ),
      );
      printResult(deps, options.output, { data: found, text: renderOrder(found) });
    });
  return order;
};
