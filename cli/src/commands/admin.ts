import { Argument, Command, Option } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';
import { readNewPassword } from '../io/read-password.ts';

const roles = ['SUPER_ADMIN', 'ADMIN', 'SUPPORT'];

const operator = z.object({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  active: z.boolean(),
  createdAt: z.string(),
  lastLoginAt: z.string().nullable(),
});

type Operator = z.infer<typeof operator>;

const activity = ({ active }: Operator): string => (active ? 'active' : 'inactive');

const showOne = (admin: Operator): string =>
  renderPairs([
    ['email', admin.email],
    ['role', admin.role],
    ['state', activity(admin)],
    ['id', admin.id],
  ]);

const showList = (admins: readonly Operator[]): string =>
  renderTable(
    ['email', 'role', 'state', 'last sign-in', 'id'],
    admins.map((admin) => [
      admin.email,
      admin.role,
      activity(admin),
      admin.lastLoginAt ?? 'never',
      admin.id,
    ]),
  );

const emailArgument = (): Argument => new Argument('<email>', "the operator's email address");
const roleOption = (): Option =>
  new Option('--role <role>', 'the role of the operator').choices(roles).makeOptionMandatory();

/** Runs one change and prints the changed operator. */
const change = async (
  deps: CliDeps,
  command: Command,
  args: readonly string[],
  password?: string,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const admin = await runBackendCommand(deps, resolveContext(deps, options), {
    args: ['admin', ...args],
    ...(password !== undefined && { stdin: password }),
    answer: operator,
  });
  printResult(deps, options.output, { data: admin, text: showOne(admin) });
};

const newPassword = (deps: CliDeps, command: Command, email: string): Promise<string> =>
  readNewPassword(deps, globalOptionsOf(command), `New password of ${email}:`);

const passwordHelp = `
goldctl prompts twice for the password (12 to 128 characters). Without a terminal, pass it on
standard input with --password-stdin, or name its file in GOLDCTL_PASSWORD_FILE.`;

const createHelp = `${passwordHelp}

Examples:
  $ goldctl admin create asha@example.com --role SUPER_ADMIN
  $ pass show gold/asha | goldctl --context prod admin create asha@example.com \\
      --role ADMIN --password-stdin`;

/** `goldctl admin`: manages operators, who are created and changed nowhere else. */
export const createAdminCommand = (deps: CliDeps): Command => {
  const admin = new Command('admin').description(
    'create and change operators, directly in the database; needs no sign-in',
  );
  admin
    .command('create')
    .description('create an operator, including the first one')
    .addArgument(emailArgument())
    .addOption(roleOption())
    .addHelpText('after', createHelp)
    .action(async (email: string, { role }: { role: string }, command: Command) => {
      const args = ['create', '--email', email, '--role', role];
      await change(deps, command, args, await newPassword(deps, command, email));
    });
  admin
    .command('list')
    .description('list all operators, oldest first')
    .action(async (_options: unknown, command: Command) => {
      const options = globalOptionsOf(command);
      const answer = z.object({ items: z.array(operator) });
      const listing = { args: ['admin', 'list'], answer };
      const list = await runBackendCommand(deps, resolveContext(deps, options), listing);
      printResult(deps, options.output, { data: list, text: showList(list.items) });
    });
  admin
    .command('set-role')
    .description('change the role of an operator, from the next request on')
    .addArgument(emailArgument())
    .addOption(roleOption())
    .action(async (email: string, { role }: { role: string }, command: Command) =>
      change(deps, command, ['set-role', '--email', email, '--role', role]),
    );
  for (const [name, about] of [
    ['activate', 'allow an operator to sign in again'],
    ['deactivate', 'block an operator, from the next request on'],
  ] as const) {
    admin
      .command(name)
      .description(about)
      .addArgument(emailArgument())
      .action(async (email: string, _options: unknown, command: Command) =>
        change(deps, command, [name, '--email', email]),
      );
  }
  admin
    .command('reset-password')
    .description('set a new password, end all sign-ins with the old one, and unlock the operator')
    .addArgument(emailArgument())
    .addHelpText('after', passwordHelp)
    .action(async (email: string, _options: unknown, command: Command) => {
      const args = ['reset-password', '--email', email];
      await change(deps, command, args, await newPassword(deps, command, email));
    });
  return admin;
};
