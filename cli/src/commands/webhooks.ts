import { Command, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging } from '../desk/paging.ts';
import type { ListOptions } from '../webhooks/webhook-actions.ts';
import { webhookStatuses } from '../webhooks/webhook-statuses.ts';

const load = () => import('../webhooks/webhook-actions.ts');

const help = `
"goldctl help runbook webhook-backlog" says why events wait.

Examples:
  $ goldctl webhooks list
  $ goldctl webhooks replay 019a8c7e-0000-7000-8000-000000000004 --yes`;

/** Creates `goldctl webhooks`, which shows stored events, and applies those that are pending. */
export const createWebhooksCommand = (deps: CliDeps): Command => {
  const webhooks = new Command('webhooks').addHelpText('after', help);
  withPaging(webhooks.command('list'))
    .description('list webhook events (default: those that are not applied)')
    .addOption(new Option('--status <status>', 'only these').choices(webhookStatuses))
    .option('--subject <id>', 'only events of this gateway order, payout or validation')
    .action(async (own: ListOptions, self: Command) =>
      (await load()).listWebhooks(deps, own, self),
    );
  webhooks
    .command('replay')
    .description('apply a stored event now; repeating it never moves money twice')
    .argument('<id>', "the event's id")
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: { yes?: boolean }, self: Command) =>
      (await load()).replayWebhook(deps, id, own, self),
    );
  return webhooks;
};
