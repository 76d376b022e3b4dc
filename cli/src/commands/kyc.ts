import { Command, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging } from '../desk/paging.ts';
import type { DecideOptions, ListOptions } from '../kyc/kyc-actions.ts';
import { kycStatuses } from '../kyc/kyc-statuses.ts';

const load = () => import('../kyc/kyc-actions.ts');

const help = `
Examples:
  $ goldctl kyc list
  $ goldctl kyc approve 019a8c7e-0000-7000-8000-000000000003 --yes
  $ goldctl kyc reject 019a8c7e-0000-7000-8000-000000000003 --reason "the photograph is not readable"`;

/** Creates `goldctl kyc`, which shows KYC records, approves and rejects them. */
export const createKycCommand = (deps: CliDeps): Command => {
  const kyc = new Command('kyc').addHelpText('after', help);
  withPaging(kyc.command('list'))
    .description('list records, those that wait for review unless --status is given')
    .addOption(new Option('--status <status>', 'only these').choices(kycStatuses))
    .action(async (own: ListOptions, self: Command) => (await load()).listKyc(deps, own, self));
  kyc
    .command('approve')
    .description('approve a record that waits for review')
    .argument('<id>', "the record's id")
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: DecideOptions, self: Command) =>
      (await load()).approveKyc(deps, id, own, self),
    );
  kyc
    .command('reject')
    .description('reject a record that waits for review')
    .argument('<id>', "the record's id")
    .requiredOption('--reason <text>', 'why; the customer reads it')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: DecideOptions, self: Command) =>
      (await load()).rejectKyc(deps, id, own, self),
    );
  return kyc;
};
