import { Command, Option } from 'commander';
import type { CliDeps } from './cli-deps.ts';
import { createAdminCommand, createPortalUserCommand } from './commands/accounts.ts';
import { createAuditCommand } from './commands/audit.ts';
import { createCheckCommand } from './commands/check.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { createDeployCommand } from './commands/deploy.ts';
import { createGatesCommand } from './commands/gates.ts';
import { createOrderCommand } from './commands/order.ts';
import { createReconcileCommand } from './commands/reconcile.ts';
import {
  createLoginCommand,
  createLogoutCommand,
  createWhoamiCommand,
} from './commands/session.ts';
import { outputForms } from './io/output.ts';

const footer = `
Exit codes:
  0 done, 1 failed, 2 wrong usage, 3 findings, 4 not signed in or not permitted,
  5 unreachable, 130 interrupted

Examples:
  $ goldctl check
  $ goldctl order show 019a8c7e-0000-7000-8000-000000000001
  $ goldctl --context staging --namespace digital-gold gates show
  $ goldctl reconcile --window-hours 24 -o json`;

/** Adds a command with its subcommands, and gives all of them the settings of `program`. */
const addCommand = (program: Command, command: Command): void => {
  program.addCommand(command);
  inheritSettings(program, command);
};

const inheritSettings = (parent: Command, command: Command): void => {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inheritSettings(command, child);
};

/** Creates the command tree. It throws CommanderError for usage and help, else CliError. */
export const createProgram = (deps: CliDeps): Command => {
  const program = new Command('goldctl')
    .description('Operates the digital gold service.')
    .version(deps.version)
    .addOption(
      new Option('--context <name>', '"local", or a context of the kubeconfig')
        .env('GOLDCTL_CONTEXT')
        .default('local'),
    )
    .option('--namespace <name>', "namespace of the release (default: the context's own)")
    .option('--in-cluster', 'use the service account of the pod that goldctl runs in')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(outputForms).default('table'),
    )
    .option('--admin-url <url>', 'address of the admin API, such as https://admin.example.com')
    .addOption(new Option('--email <email>', 'operator to sign in as').env('GOLDCTL_EMAIL'))
    .option('--password-stdin', 'read the password from standard input')
    .addHelpText('after', footer)
    .showHelpAfterError('(use --help for usage)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => deps.stdout(text),
      writeErr: (text) => deps.stderr(text),
    });
  const commands = [
    createCheckCommand(deps),
    createReconcileCommand(deps),
    createOrderCommand(deps),
    createGatesCommand(deps),
    createDeployCommand(deps),
    createAdminCommand(deps),
    createPortalUserCommand(deps),
    createAuditCommand(deps),
    createLoginCommand(deps),
    createLogoutCommand(deps),
    createWhoamiCommand(deps),
  ];
  for (const command of commands) addCommand(program, command);
  addCompletionCommand(program);
  return program;
};
