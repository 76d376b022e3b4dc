import { spawn, type ChildProcess } from 'node:child_process';

/** The end of a command, with everything it printed, in order. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  /** Both streams as one text, for people. */
  readonly output: string;
}

interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the program: asked first, killed after fifteen seconds. */
  readonly signal?: AbortSignal;
  /** True where the programs that it has started end with it, as a script's must. */
  readonly isGroup?: boolean;
}

const askedToEndMs = 15_000;

/** Sends a signal to a program, or to all of its group. */
const send = (child: ChildProcess, isGroup: boolean, signal: NodeJS.Signals): void => {
  if (!isGroup || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All of them have ended.
  }
};

/** Runs a program to its end. Returns 127 when there is none of that name. */
export const runCommand = (
  program: string,
  args: readonly string[],
  { cwd, env, signal, isGroup = false }: CommandOptions = {},
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: isGroup,
    });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    let killing: NodeJS.Timeout | undefined;
    const end = () => {
      send(child, isGroup, 'SIGINT');
      killing ??= setTimeout(() => send(child, isGroup, 'SIGKILL'), askedToEndMs);
    };
    signal?.addEventListener('abort', end, { once: true });
    // The terminal's signals do not reach a group of its own.
    if (isGroup) process.once('SIGINT', end);
    child.on('error', (error) => {
      process.off('SIGINT', end);
      resolve({ code: 127, stdout, output: `${output}${error.message}` });
    });
    child.on('close', (code) => {
      signal?.removeEventListener('abort', end);
      process.off('SIGINT', end);
      clearTimeout(killing);
      resolve({ code: code ?? 1, stdout, output });
    });
  });

/**
 * Runs a program that must end well.
 * @returns What it printed on stdout.
 * @throws Error with everything it printed.
 */
export const mustRun = async (
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> => {
  const { code, stdout, output } = await runCommand(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}\n${output}`);
  return stdout;
};
