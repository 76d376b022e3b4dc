import { Argument, Command, Option } from 'commander';
import type { AccountKind } from '../accounts/account-actions.ts';
import type { CliDeps } from '../cli-deps.ts';

/** The kind of accounts that a command manages, with the command's texts. */
interface AccountCommand {
  /** The command's name. The service's command has the same name. */
  readonly name: AccountKind;
  /** The word for an account, as in "create a portal user". */
  readonly noun: string;
  readonly roles: readonly string[];
  /** True if an account has the name of a person. */
  readonly isNamed: boolean;
  readonly texts: {
    readonly setRole: string;
    readonly deactivate: string;
    readonly resetPassword: string;
    readonly createHelp: string;
    readonly passwordHelp: string;
  };
}

const load = () => import('../accounts/account-actions.ts');

const withArticle = (noun: string): string => (/^[aeiou]/u.test(noun) ? `an ${noun}` : `a ${noun}`);

const emailArgument = ({ noun }: AccountCommand): Argument =>
  new Argument('<email>', `the ${noun}'s email address`);

const roleOption = ({ noun, roles }: AccountCommand): Option =>
  new Option('--role <role>', `the role of the ${noun}`).choices([...roles]).makeOptionMandatory();

const addCreate = (accounts: Command, deps: CliDeps, accountCommand: AccountCommand): void => {
  const { name, noun, isNamed, texts } = accountCommand;
  const create = accounts
    .command('create')
    .description(`create ${withArticle(noun)}, including the first one`)
    .addArgument(emailArgument(accountCommand))
    .addOption(roleOption(accountCommand))
    .addHelpText('after', texts.createHelp);
  if (isNamed) create.requiredOption('--person-name <name>', 'the name of the person');
  create.action(
    async (email: string, given: { role: string; personName?: string }, command: Command) => {
      const person = given.personName === undefined ? [] : ['--person-name', given.personName];
      const args = ['create', '--email', email, '--role', given.role, ...person];
      const { changeAccount, newPassword } = await load();
      const password = await newPassword(deps, command, email);
      await changeAccount(deps, name, command, { args, stdin: password });
    },
  );
};

const addList = (accounts: Command, deps: CliDeps, accountCommand: AccountCommand): void => {
  const { name, noun, isNamed } = accountCommand;
  accounts
    .command('list')
    .description(`list all ${noun}s, oldest first`)
    .action(async (_options: unknown, command: Command) =>
      (await load()).listAccounts(deps, { name, isNamed }, command),
    );
};

const addChanges = (accounts: Command, deps: CliDeps, accountCommand: AccountCommand): void => {
  const { name, noun, texts } = accountCommand;
  accounts
    .command('set-role')
    .description(texts.setRole)
    .addArgument(emailArgument(accountCommand))
    .addOption(roleOption(accountCommand))
    .action(async (email: string, { role }: { role: string }, command: Command) =>
      (await load()).changeAccount(deps, name, command, {
        args: ['set-role', '--email', email, '--role', role],
      }),
    );
  for (const [change, about] of [
    ['activate', `allow ${withArticle(noun)} to sign in again`],
    ['deactivate', texts.deactivate],
  ] as const) {
    accounts
      .command(change)
      .description(about)
      .addArgument(emailArgument(accountCommand))
      .action(async (email: string, _options: unknown, command: Command) =>
        (await load()).changeAccount(deps, name, command, { args: [change, '--email', email] }),
      );
  }
  accounts
    .command('reset-password')
    .description(texts.resetPassword)
    .addArgument(emailArgument(accountCommand))
    .addHelpText('after', texts.passwordHelp)
    .action(async (email: string, _options: unknown, command: Command) => {
      const args = ['reset-password', '--email', email];
      const { changeAccount, newPassword } = await load();
      const password = await newPassword(deps, command, email);
      await changeAccount(deps, name, command, { args, stdin: password });
    });
};

const addDisableFactor = (accounts: Command, deps: CliDeps, given: AccountCommand): void => {
  const { name, noun } = given;
  accounts
    .command('disable-second-factor')
    .description(`take the authenticator app of ${withArticle(noun)} away, and end their sign-ins`)
    .addArgument(emailArgument(given))
    .requiredOption('--reason <text>', 'why, for the audit log')
    .action(async (email: string, { reason }: { reason: string }, command: Command) =>
      (await load()).changeAccount(deps, name, command, {
        args: ['disable-second-factor', '--email', email],
        stdin: reason,
      }),
    );
};

/**
 * Creates a command whose subcommands create, list and change accounts directly in the database. They
 * run the service's operator command, which audits each change.
 */
const createAccountCommand = (deps: CliDeps, accountCommand: AccountCommand): Command => {
  const accounts = new Command(accountCommand.name);
  addCreate(accounts, deps, accountCommand);
  addList(accounts, deps, accountCommand);
  addChanges(accounts, deps, accountCommand);
  addDisableFactor(accounts, deps, accountCommand);
  return accounts;
};

const passwordHelp = `
goldctl prompts twice for the password (12 to 128 characters). Without a terminal, pass it on
standard input with --password-stdin, or name its file in GOLDCTL_PASSWORD_FILE.`;

/** Creates `goldctl admin`, which manages operators. No API creates or changes them. */
export const createAdminCommand = (deps: CliDeps): Command =>
  createAccountCommand(deps, {
    name: 'admin',
    noun: 'operator',
    roles: ['SUPER_ADMIN', 'ADMIN', 'SUPPORT'],
    isNamed: false,
    texts: {
      setRole: 'change the role of an operator, from the next request on',
      deactivate: 'block an operator, from the next request on',
      resetPassword:
        'set a new password, end all sign-ins with the old one, and unlock the operator',
      passwordHelp,
      createHelp: `${passwordHelp}

Examples:
  $ goldctl admin create asha@example.com --role SUPER_ADMIN
  $ pass show gold/asha | goldctl --context prod admin create asha@example.com \\
      --role ADMIN --password-stdin`,
    },
  });

/** Creates `goldctl portal-user`, which manages portal users. No API can create the first. */
export const createPortalUserCommand = (deps: CliDeps): Command =>
  createAccountCommand(deps, {
    name: 'portal-user',
    noun: 'portal user',
    roles: [
      'super_admin',
      'finance_head',
      'accountant',
      'tax_officer',
      'reconciliation_analyst',
      'compliance_officer',
      'auditor',
      'viewer',
    ],
    isNamed: true,
    texts: {
      setRole: 'give a portal user another role, with its default permissions',
      deactivate: 'block a portal user and end their sessions',
      resetPassword: 'set a new password, end the sessions of the old one, and unlock the user',
      passwordHelp,
      createHelp: `${passwordHelp}

Example:
  $ goldctl portal-user create meera@example.com --person-name "Meera Nair" --role super_admin`,
    },
  });
