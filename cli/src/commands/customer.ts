import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import type { BlockOptions } from '../customers/customer-actions.ts';
import { withPaging, type Paging } from '../desk/paging.ts';

const load = () => import('../customers/customer-actions.ts');

const help = `
Names, phones and emails are masked, in JSON too: what a terminal shows is kept by the terminal.

Examples:
  $ goldctl customer find 9876543210
  $ goldctl customer block 019a8c7e-0000-7000-8000-000000000002 --reason "lost phone" --yes`;

/** Creates `goldctl customer`, which finds, shows and blocks customers. */
export const createCustomerCommand = (deps: CliDeps): Command => {
  const customer = new Command('customer').addHelpText('after', help);
  withPaging(customer.command('find'))
    .description('find customers by id, phone, email, or a part of the name')
    .argument('<text>', 'what to look for')
    .action(async (text: string, own: Paging, self: Command) =>
      (await load()).findCustomers(deps, text, own, self),
    );
  customer
    .command('show')
    .description('show a customer, with holding, accounts and security events')
    .argument('<id>', "the customer's id")
    .action(async (id: string, _options: unknown, self: Command) =>
      (await load()).showCustomer(deps, id, self),
    );
  customer
    .command('block')
    .description('block a customer and end all of their sessions')
    .argument('<id>', "the customer's id")
    .requiredOption('--reason <text>', 'why')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: BlockOptions, self: Command) =>
      (await load()).setBlocked(deps, { id, blocked: true }, own, self),
    );
  customer
    .command('unblock')
    .description('unblock a customer, who must then sign in again')
    .argument('<id>', "the customer's id")
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: BlockOptions, self: Command) =>
      (await load()).setBlocked(deps, { id, blocked: false }, own, self),
    );
  return customer;
};
