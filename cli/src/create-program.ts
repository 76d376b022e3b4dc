import { Command, Option } from 'commander';
import type { CliDeps } from './cli-deps.ts';
import { commandEntries, type CommandEntry } from './commands/command-entries.ts';
import { globalOptionsOf } from './global-options.ts';
import { outputForms } from './io/output-forms.ts';

const hasProxy = (env: CliDeps['env']): boolean =>
  ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'].some((name) => Boolean(env[name]));

const footer = `
Exit codes:
  0 done, 1 failed, 2 wrong usage, 3 findings, 4 not signed in or not permitted,
  5 unreachable, 124 timed out, 130 interrupted, 143 ended by SIGTERM

Examples:
  $ goldctl check
  $ goldctl order show 019a8c7e-0000-7000-8000-000000000001
  $ goldctl --context staging --namespace digital-gold gates show
  $ goldctl reconcile --window-hours 24 -o json`;

const inheritSettings = (parent: Command, command: Command): void => {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inheritSettings(command, child);
};

/** Returns a command. A command that is not loaded has only its name and description. */
const commandOf = async (
  deps: CliDeps,
  { name, about, load }: CommandEntry,
  isWanted: boolean,
): Promise<Command> => {
  const command = isWanted ? (await load())(deps) : new Command(name);
  return command.description(about);
};

/**
 * Creates the command tree. It loads only the commands that `args` name, or all commands. Parsing with
 * the program throws a CommanderError for wrong usage and for help.
 */
export const createProgram = async (
  deps: CliDeps,
  args: readonly string[] | 'all',
): Promise<Command> => {
  const program = new Command('goldctl')
    .description('Operates the digital gold service.')
    .version(deps.version)
    .addOption(
      new Option(
        '--context <name>',
        '"local", "pod", or a context of the kubeconfig ("goldctl context" says which is used)',
      ).env('GOLDCTL_CONTEXT'),
    )
    .option('-n, --namespace <name>', "namespace of the release (default: the context's own)")
    .option('--in-cluster', 'use the service account of the pod that goldctl runs in')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(outputForms).default('table'),
    )
    .option('--admin-url <url>', 'address of the admin API, such as https://admin.example.com')
    .addOption(new Option('--email <email>', 'operator to sign in as').env('GOLDCTL_EMAIL'))
    .option('--password-stdin', 'read the password from standard input')
    .option('--ca-file <file>', 'certificates (PEM) to trust beside the system’s')
    .option('--insecure', 'allow plain http to other machines than this one')
    .addHelpText('after', footer)
    .showHelpAfterError('(use --help for usage)')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .hook('preAction', async (_program, command) => {
      const { caFile } = globalOptionsOf(command);
      if (caFile === undefined && !hasProxy(deps.env)) return;
      const { prepareNetwork } = await import('./clients/network.ts');
      prepareNetwork(deps, caFile);
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => deps.stdout(text),
      writeErr: (text) => deps.stderr(text),
    });
  for (const entry of commandEntries) {
    const isWanted = args === 'all' || args.includes(entry.name);
    const command = await commandOf(deps, entry, isWanted);
    program.addCommand(command);
    inheritSettings(program, command);
  }
  if (args !== 'all' && args.includes('complete')) {
    const { createCompleteCommand } = await import('./commands/completion.ts');
    const complete = createCompleteCommand(deps);
    program.addCommand(complete, { hidden: true });
    inheritSettings(program, complete);
  }
  return program;
};
