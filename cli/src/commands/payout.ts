import { Command, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging } from '../desk/paging.ts';
import type { ChangeOptions, ListOptions } from '../payouts/payout-actions.ts';
import { payoutStatuses } from '../payouts/payout-statuses.ts';

const load = () => import('../payouts/payout-actions.ts');

const help = `
An ADMIN approves and retries up to ₹1,00,000, a SUPER_ADMIN any amount.

Examples:
  $ goldctl payout list
  $ goldctl payout list --status FAILED -o json
  $ goldctl payout show 019a8c7e-0000-7000-8000-000000000001
  $ goldctl payout approve 019a8c7e-0000-7000-8000-000000000001 --yes`;

/** Creates `goldctl payout`, which shows, approves and retries payouts. */
export const createPayoutCommand = (deps: CliDeps): Command => {
  const payout = new Command('payout').addHelpText('after', help);
  withPaging(payout.command('list'))
    .description('list payouts (default: pending and in progress)')
    .addOption(new Option('--status <status>', 'only these').choices(payoutStatuses))
    .action(async (own: ListOptions, self: Command) => (await load()).listPayouts(deps, own, self));
  payout
    .command('show')
    .description('show one payout with its attempts')
    .argument('<id>', "the payout's id")
    .action(async (id: string, _options: unknown, self: Command) =>
      (await load()).showPayout(deps, id, self),
    );
  payout
    .command('approve')
    .description('approve and send a payout')
    .argument('<id>', "the payout's id")
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: ChangeOptions, self: Command) =>
      (await load()).approvePayout(deps, id, own, self),
    );
  payout
    .command('retry')
    .description('retry a payout that failed or was reversed')
    .argument('<id>', "the payout's id")
    .option('--note <text>', 'why, for the audit log')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: ChangeOptions, self: Command) =>
      (await load()).retryPayout(deps, id, own, self),
    );
  return payout;
};
