import { Argument, Command, Option } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';
import { readNewPassword } from '../io/read-password.ts';

const roles = [
  'super_admin',
  'finance_head',
  'accountant',
  'tax_officer',
  'reconciliation_analyst',
  'compliance_officer',
  'auditor',
  'viewer',
];

const portalUser = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.string(),
  active: z.boolean(),
  createdAt: z.string(),
  lastLoginAt: z.string().nullable(),
});

type PortalUser = z.infer<typeof portalUser>;

const activity = ({ active }: PortalUser): string => (active ? 'active' : 'inactive');

const showOne = (user: PortalUser): string =>
  renderPairs([
    ['email', user.email],
    ['name', user.name],
    ['role', user.role],
    ['state', activity(user)],
    ['id', user.id],
  ]);

const showList = (users: readonly PortalUser[]): string =>
  renderTable(
    ['email', 'name', 'role', 'state', 'last sign-in', 'id'],
    users.map((user) => [
      user.email,
      user.name,
      user.role,
      activity(user),
      user.lastLoginAt ?? 'never',
      user.id,
    ]),
  );

const emailArgument = (): Argument => new Argument('<email>', "the portal user's email address");
const roleOption = (): Option =>
  new Option('--role <role>', 'the role of the portal user').choices(roles).makeOptionMandatory();

/** Runs one change and prints the changed user. */
const change = async (
  deps: CliDeps,
  command: Command,
  args: readonly string[],
  password?: string,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const user = await runBackendCommand(deps, resolveContext(deps, options), {
    args: ['portal-user', ...args],
    ...(password !== undefined && { stdin: password }),
    answer: portalUser,
  });
  printResult(deps, options.output, { data: user, text: showOne(user) });
};

const newPassword = (deps: CliDeps, command: Command, email: string): Promise<string> =>
  readNewPassword(deps, globalOptionsOf(command), `New password of ${email}:`);

const createHelp = `
The password is given as for "goldctl admin create".

Example:
  $ goldctl portal-user create meera@example.com --person-name "Meera Nair" --role super_admin`;

/** `goldctl portal-user`: the accounting staff, the first of whom no API can create. */
export const createPortalUserCommand = (deps: CliDeps): Command => {
  const users = new Command('portal-user').description(
    'create and change accounting staff, directly in the database; needs no sign-in',
  );
  users
    .command('create')
    .description('create a portal user, including the first one')
    .addArgument(emailArgument())
    .addOption(roleOption())
    .requiredOption('--person-name <name>', 'the name of the person')
    .addHelpText('after', createHelp)
    .action(
      async (
        email: string,
        { role, personName }: { role: string; personName: string },
        command: Command,
      ) => {
        const args = ['create', '--email', email, '--role', role, '--person-name', personName];
        await change(deps, command, args, await newPassword(deps, command, email));
      },
    );
  users
    .command('list')
    .description('list all portal users, oldest first')
    .action(async (_options: unknown, command: Command) => {
      const options = globalOptionsOf(command);
      const answer = z.object({ items: z.array(portalUser) });
      const listing = { args: ['portal-user', 'list'], answer };
      const list = await runBackendCommand(deps, resolveContext(deps, options), listing);
      printResult(deps, options.output, { data: list, text: showList(list.items) });
    });
  users
    .command('set-role')
    .description('give a portal user another role, with its default permissions')
    .addArgument(emailArgument())
    .addOption(roleOption())
    .action(async (email: string, { role }: { role: string }, command: Command) =>
      change(deps, command, ['set-role', '--email', email, '--role', role]),
    );
  for (const [name, about] of [
    ['activate', 'allow a portal user to sign in again'],
    ['deactivate', 'block a portal user and end their sessions'],
  ] as const) {
    users
      .command(name)
      .description(about)
      .addArgument(emailArgument())
      .action(async (email: string, _options: unknown, command: Command) =>
        change(deps, command, [name, '--email', email]),
      );
  }
  users
    .command('reset-password')
    .description('set a new password, end the sessions of the old one, and unlock the user')
    .addArgument(emailArgument())
    .action(async (email: string, _options: unknown, command: Command) => {
      const args = ['reset-password', '--email', email];
      await change(deps, command, args, await newPassword(deps, command, email));
    });
  return users;
};
