import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand, type CommandResult } from './run-command.ts';
import { watchPods } from './watch-pods.ts';

const deployFolder = fileURLToPath(new URL('../..', import.meta.url));
const homeFolder = fileURLToPath(new URL('../../../.dev/pulumi', import.meta.url));

type Values = Readonly<Record<string, string>>;

const flagsOf = (flag: string, values: Values): readonly string[] =>
  Object.entries(values).flatMap(([path, value]) => [flag, `digital-gold:${path}=${value}`]);

/** The real CLI with one stack of its own, its state in a folder that git ignores. */
export interface StackRun {
  readonly stateFolder: string;
  readonly configFile: string;
  /** Runs `pulumi ARGS` on the stack, however it ends. */
  readonly pulumi: (...args: readonly string[]) => Promise<CommandResult>;
  /** The same, and it must end well. */
  readonly must: (...args: readonly string[]) => Promise<string>;
  /** Sets keys below `digital-gold:`, in clear or encrypted. */
  readonly set: (plain: Values, secret?: Values) => Promise<void>;
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Runs Pulumi, says meanwhile what it waits for, and ends it when that can't come. */
const watched = async (
  namespace: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<CommandResult> => {
  if (args[0] !== 'up') return runCommand('pulumi', args, options);
  const over = new AbortController();
  const given = new AbortController();
  const [result, trouble] = await Promise.all([
    runCommand('pulumi', args, { ...options, signal: given.signal }).finally(() => over.abort()),
    watchPods(namespace, over.signal, say).then((found) => {
      if (found !== undefined) given.abort();
      return found;
    }),
  ]);
  if (trouble === undefined) return result;
  return { ...result, code: result.code || 1, output: `${trouble}\n${result.output}` };
};

/** Takes down what an earlier run of the stack left behind, and forgets it. */
const clearLeftovers = async (
  { must, pulumi, stateFolder }: StackRun,
  name: string,
): Promise<void> => {
  if ((await pulumi('stack', 'ls', '--json')).stdout.includes('"name"')) {
    // A killed run leaves its lock, and one that ended early its protection.
    await pulumi('cancel', '--yes', '--stack', name);
    await must('state', 'unprotect', '--all', '--yes', '--stack', name);
    await must('destroy', '--yes', '--skip-preview', '--non-interactive');
  }
  rmSync(stateFolder, { recursive: true, force: true });
  mkdirSync(stateFolder, { recursive: true });
};

/** Makes a new stack of the tier dev, configured as its committed file says. */
export const createStackRun = async (name: string): Promise<StackRun> => {
  const stateFolder = `${homeFolder}/${name}`;
  const configFile = `${homeFolder}/Pulumi.${name}.yaml`;
  mkdirSync(stateFolder, { recursive: true });
  const env = {
    ...process.env,
    PULUMI_HOME: `${homeFolder}/home`,
    PULUMI_BACKEND_URL: `file://${stateFolder}`,
    PULUMI_CONFIG_PASSPHRASE: 'dev-only-passphrase',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
  };
  const options = { cwd: deployFolder, env };
  const ofStack = new Set(['config', 'up', 'preview', 'refresh', 'destroy']);
  const complete = (args: readonly string[]) => {
    const [command = ''] = args;
    return ofStack.has(command) ? [...args, '--stack', name, '--config-file', configFile] : args;
  };
  const run: StackRun = {
    stateFolder,
    configFile,
    pulumi: (...args) => watched(name, complete(args), options),
    must: async (...args) => {
      const { code, stdout, output } = await run.pulumi(...args);
      if (code !== 0) throw new Error(`pulumi ${args.join(' ')} ended with ${code}\n${output}`);
      return stdout;
    },
    set: async (plain, secret = {}) => {
      const flags = [...flagsOf('--plaintext', plain), ...flagsOf('--secret', secret)];
      await run.must('config', 'set-all', '--path', ...flags);
    },
  };
  await clearLeftovers(run, name);
  copyFileSync(`${deployFolder}/Pulumi.dev.yaml`, configFile);
  await run.must('stack', 'init', name);
  // It leaves a file of its own, whatever `--config-file` the other commands get.
  rmSync(`${deployFolder}/Pulumi.${name}.yaml`, { force: true });
  return run;
};
