import type { CliDeps } from '../../src/cli-deps.ts';
import { CliError, exitCodes, type ExitCode } from '../../src/cli-error.ts';
import { runGoldctl } from '../../src/run-goldctl.ts';

/** An answer typed at a prompt, or one that is made of what stands on standard error by then. */
type Typed = string | ((stderr: string) => string);

/** The environment, input and time that a command gets. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input, which is no terminal then. */
  readonly stdin?: string;
  /** The answers typed at the prompts, in order. Without any there is no terminal. */
  readonly typed?: readonly Typed[];
  readonly now?: Date;
  readonly repository?: string;
  /** Waits really where something outside has to happen meanwhile. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** The result of a command. */
interface CommandResult {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** The time of a command that is given none. */
export const usualNow = new Date('2026-11-21T10:00:00Z');

const noTerminal = (): CliError => new CliError('there is no terminal', exitCodes.usage);

/** Returns dependencies for what only looks at the commands. */
export const programDeps = (): CliDeps => ({
  stdout: () => {},
  stderr: () => {},
  stdin: { isTty: false, readAll: async () => '' },
  promptSecret: async () => {
    throw noTerminal();
  },
  ask: async () => {
    throw noTerminal();
  },
  confirm: async () => {
    throw noTerminal();
  },
  env: {},
  now: () => usualNow,
  sleep: async () => {},
  isTty: false,
  signal: new AbortController().signal,
  repository: '',
  version: '0.0.0-test',
});

/** Runs a command line inside this process, with dependencies that the options set. */
export const runInProcess = async (
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandResult> => {
  const { env = {}, stdin, typed, now = usualNow, repository = '' } = options;
  let clock = now.getTime();
  const [out, err]: [string[], string[]] = [[], []];
  const answers = [...(typed ?? [])];
  const answer = async (question: string): Promise<string> => {
    const next = answers.shift();
    if (next === undefined) throw noTerminal();
    err.push(`${question}\n`);
    return typeof next === 'string' ? next : next(err.join(''));
  };
  const deps: CliDeps = {
    stdout: (text) => void out.push(text),
    stderr: (text) => void err.push(text),
    stdin: { isTty: stdin === undefined, readAll: async () => stdin ?? '' },
    promptSecret: answer,
    ask: answer,
    confirm: async (question) => (await answer(question)) === 'y',
    env,
    // Waiting takes no time and moves the clock.
    now: () => new Date(clock),
    sleep: async (ms) => {
      clock += ms;
      await options.sleep?.(ms);
    },
    isTty: typed !== undefined,
    signal: new AbortController().signal,
    repository,
    version: '0.0.0-test',
  };
  const code = await runGoldctl(args, deps);
  return { code, stdout: out.join(''), stderr: err.join('') };
};
