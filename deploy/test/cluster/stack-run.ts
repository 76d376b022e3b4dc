import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { keyPrefix } from '../../src/config/parse-stack-config.ts';
import type { Tier } from '../../src/config/stack-config.ts';
import { runCommand, type CommandResult } from './run-command.ts';
import { runWatched, type Said } from './run-watched.ts';

export const deployFolder = fileURLToPath(new URL('../..', import.meta.url));
export const homeFolder = fileURLToPath(new URL('../../../.dev/pulumi', import.meta.url));

type Values = Readonly<Record<string, string>>;

const flagsOf = (flag: string, values: Values): readonly string[] =>
  Object.entries(values).flatMap(([path, value]) => [flag, `${keyPrefix}${path}=${value}`]);

const fileSchema = z.looseObject({ config: z.record(z.string(), z.unknown()) });

/** The real CLI with one stack of its own, its state in a folder that git ignores. */
export interface StackRun {
  readonly stateFolder: string;
  readonly configFile: string;
  /** The environment of its commands. */
  readonly env: NodeJS.ProcessEnv;
  /** Returns what the last command said while it waited. */
  readonly said: readonly Said[];
  /** Runs `pulumi ARGS` on the stack, however it ends. */
  readonly pulumi: (...args: readonly string[]) => Promise<CommandResult>;
  /** The same, and it must end well. */
  readonly must: (...args: readonly string[]) => Promise<string>;
  /** Makes the stack, with an empty state. */
  readonly init: () => Promise<void>;
  /** Sets keys below `digital-gold:`, in clear or encrypted. */
  readonly set: (plain: Values, secret?: Values) => Promise<void>;
  /** Writes whole keys into the stack's file. An undefined value takes the key out. */
  readonly write: (keys: Readonly<Record<string, unknown>>) => void;
  /**
   * Runs a script of `scripts/` with its arguments as an operator would, on the stack's own file.
   */
  readonly script: (
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<CommandResult>;
}

const writeKeys = (file: string, keys: Readonly<Record<string, unknown>>): void => {
  const read = fileSchema.parse(parse(readFileSync(file, 'utf8')));
  const given = Object.entries(keys).map(([key, value]) => [`${keyPrefix}${key}`, value] as const);
  const config = Object.fromEntries(
    [
      ...Object.entries(read.config).filter(([key]) => !given.some(([one]) => one === key)),
      ...given,
    ].filter(([, value]) => value !== undefined),
  );
  writeFileSync(file, stringify({ ...read, config }));
};

const stacksSchema = z.array(z.object({ name: z.string() }));

/** Takes down what an earlier run left behind in a state folder, and forgets it. */
const clearLeftovers = async ({ must, pulumi, stateFolder }: StackRun): Promise<void> => {
  const { code, stdout } = await pulumi('stack', 'ls', '--json');
  const left = code === 0 ? stacksSchema.parse(JSON.parse(stdout)) : [];
  // The last one first: it may stand on the others.
  for (const { name } of left.toReversed()) {
    const file = ['--stack', name, '--config-file', `${homeFolder}/Pulumi.${name}.yaml`];
    // A killed run leaves its lock, and one that ended early its protection.
    await pulumi('cancel', '--yes', '--stack', name);
    await must('state', 'unprotect', '--all', '--yes', '--stack', name);
    await must('destroy', '--yes', '--skip-preview', '--non-interactive', ...file);
  }
  rmSync(stateFolder, { recursive: true, force: true });
  mkdirSync(stateFolder, { recursive: true });
};

const ofStack = new Set(['config', 'up', 'preview', 'refresh', 'destroy', 'import']);

interface StackRunOptions {
  /** The tier whose file the stack begins with, dev if left out. */
  readonly tier?: Tier;
  /** Further environment of the CLI. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another stack in whose state folder this one is kept, so that it can refer to it. */
  readonly beside?: StackRun;
}

/** Makes a new stack, configured as the committed file of its tier says. */
export const createStackRun = async (
  name: string,
  { tier = 'dev', env: more = {}, beside }: StackRunOptions = {},
): Promise<StackRun> => {
  const stateFolder = beside?.stateFolder ?? `${homeFolder}/${name}`;
  const configFile = `${homeFolder}/Pulumi.${name}.yaml`;
  mkdirSync(stateFolder, { recursive: true });
  const env = {
    ...process.env,
    PULUMI_HOME: `${homeFolder}/home`,
    PULUMI_BACKEND_URL: `file://${stateFolder}`,
    PULUMI_CONFIG_PASSPHRASE: 'dev-only-passphrase',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    // The same program is loaded some hundred times.
    NODE_COMPILE_CACHE: `${homeFolder}/compiled`,
    ...more,
  };
  const options = { cwd: deployFolder, env };
  const said: Said[] = [];
  const watched = { namespace: name, ...options, said };
  const complete = (args: readonly string[]) => {
    const [command = ''] = args;
    const isNamed = !ofStack.has(command) || args.includes('--stack');
    return isNamed ? args : [...args, '--stack', name, '--config-file', configFile];
  };
  const run: StackRun = {
    stateFolder,
    configFile,
    env,
    said,
    pulumi: (...args) =>
      args[0] === 'up'
        ? runWatched({ ...watched, program: 'pulumi', args: complete(args) })
        : runCommand('pulumi', complete(args), options),
    must: async (...args) => {
      const { code, stdout, output } = await run.pulumi(...args);
      if (code !== 0) throw new Error(`pulumi ${args.join(' ')} ended with ${code}\n${output}`);
      return stdout;
    },
    set: async (plain, secret = {}) => {
      const flags = [...flagsOf('--plaintext', plain), ...flagsOf('--secret', secret)];
      await run.must('config', 'set-all', '--path', ...flags);
    },
    init: async () => {
      await run.must('stack', 'init', name, '--no-select');
      // It leaves a file of its own, whatever `--config-file` the other commands get.
      rmSync(`${deployFolder}/Pulumi.${name}.yaml`, { force: true });
    },
    write: (keys) => writeKeys(configFile, keys),
    script: ([script = '', ...args], own = {}) =>
      runWatched({
        ...watched,
        program: `scripts/${script}`,
        args,
        env: { ...env, STACK_FILE: configFile, ...own },
        isGroup: true,
      }),
  };
  if (beside === undefined) await clearLeftovers(run);
  copyFileSync(`${deployFolder}/Pulumi.${tier}.yaml`, configFile);
  await run.init();
  return run;
};
