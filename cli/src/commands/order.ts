import { Argument, Command, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging } from '../desk/paging.ts';
import type { ListOptions } from '../orders/list-orders.ts';
import { orderStatuses } from '../orders/order-statuses.ts';
import { resolutions, type Resolution } from '../orders/resolutions.ts';
import type { ResolveOptions } from '../orders/show-order.ts';

const load = () => import('../orders/show-order.ts');

const resolveHelp = `
"goldctl help runbook manual-review" says what each resolution does and needs. Only a SUPER_ADMIN
may resolve.

Example:
  $ goldctl order resolve 019a8c7e-0000-7000-8000-000000000001 REFUNDED \\
      --reference rfnd_1001 --note "refunded at the gateway" --yes`;

/** Creates `goldctl order`, which shows gold orders and ends their reviews. */
export const createOrderCommand = (deps: CliDeps): Command => {
  const order = new Command('order');
  withPaging(order.command('list'))
    .description('list orders, newest first')
    .option('--customer <id>', 'only orders of this customer')
    .addOption(new Option('--status <status>', 'only these').choices(orderStatuses))
    .action(async (own: ListOptions, self: Command) =>
      (await import('../orders/list-orders.ts')).listOrders(deps, own, self),
    );
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
    .action(async (id: string, _options: unknown, command: Command) =>
      (await load()).showOrder(deps, id, command),
    );
  order
    .command('timeline')
    .description(
      'show everything that happened to an order: quotes, calls, events, transitions, payouts',
    )
    .argument('<id>', "the order's id")
    .action(async (id: string, _options: unknown, self: Command) =>
      (await import('../orders/show-timeline.ts')).showTimeline(deps, id, self),
    );
  order
    .command('resolve')
    .description('end the review of an order; without a resolution, prompts for one')
    .argument('<id>', "the order's id")
    .addArgument(new Argument('[resolution]', 'how the review ends').choices(resolutions))
    .option('--reference <text>', 'an external reference; for a refund, the gateway’s refund id')
    .option('--note <text>', 'why, for the audit log')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .addHelpText('after', resolveHelp)
    .action(async (id: string, given: Resolution | undefined, own: ResolveOptions, self: Command) =>
      (await load()).resolveOrder(deps, { id, given }, own, self),
    );
  return order;
};
