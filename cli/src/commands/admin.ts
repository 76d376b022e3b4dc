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

const emailArgument = (): Argument => new Argument('<email>', "the operator's e-mail address");
const roleOption = (): Option =>
  new Option('--role <role>', 'what the operator may do').choices(roles).makeOptionMandatory();

/** Runs one change and prints the operator as it is now. */
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
The password (12 characters at least) is asked for twice on the terminal. Without one, give it on
standard input with --password-stdin, or name its file in GOLDCTL_PASSWORD_FILE.`;

const createHelp = `${passwordHelp}

Examples:
  $ goldctl admin create asha@example.com --role SUPER_ADMIN
  $ pass show gold/asha | goldctl --context prod admin create asha@example.com \\
      --role ADMIN --password-stdin`;

/** `goldctl admin`: operators, who are made and changed here alone. */
export const createAdminCommand = (deps: CliDeps): Command => {
  const admin = new Command('admin').description(
    'make and change operators; works on the database, with no sign-in',
  );
  admin
    .command('create')
    .description('make an operator, the first one too')
    .addArgument(emailArgument())
    .addOption(roleOption())
    .addHelpText('after', createHelp)
    .action(async (email: string, { role }: { role: string }, command: Command) => {
      const args = ['create', '--email', email, '--role', role];
      await change(deps, command, args, await newPassword(deps, command, email));
    });
  admin
    .command('list')
    .description('every operator, oldest first')
    .action(async (_options: unknown, command: Command) => {
      const options = globalOptionsOf(command);
      const answer = z.object({ items: z.array(operator) });
      const listing = { args: ['admin', 'list'], answer };
      const list = await runBackendCommand(deps, resolveContext(deps, options), listing);
      printResult(deps, options.output, { data: list, text: showList(list.items) });
    });
  admin
    .command('set-role')
    .description('change what an operator may do, from the next request on')
    .addArgument(emailArgument())
    .addOption(roleOption())
    .action(async (email: string, { role }: { role: string }, command: Command) =>
      change(deps, command, ['set-role', '--email', email, '--role', role]),
    );
  for (const [name, about] of [
    ['activate', 'let an operator in again'],
    ['deactivate', 'shut an operator out, from the next request on'],
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
    .description('give an operator a new password, end what the old one signed in, and lift a lock')
    .addArgument(emailArgument())
    .addHelpText('after', passwordHelp)
    .action(async (email: string, _options: unknown, command: Command) => {
      const args = ['reset-password', '--email', email];
      await change(deps, command, args, await newPassword(deps, command, email));
    });
  return admin;
};
