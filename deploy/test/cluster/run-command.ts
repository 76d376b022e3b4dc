import { spawn } from 'node:child_process';

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
  /** Ends the program: asked first, killed after ten seconds. */
  readonly signal?: AbortSignal;
}

const askedToEndMs = 10_000;

/** Runs a program to its end. Returns 127 when there is none of that name. */
export const runCommand = (
  program: string,
  args: readonly string[],
  { cwd, env, signal }: CommandOptions = {},
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const end = () => {
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), askedToEndMs).unref();
    };
    signal?.addEventListener('abort', end, { once: true });
    child.on('error', (error) => {
      resolve({ code: 127, stdout, output: `${output}${error.message}` });
    });
    child.on('close', (code) => {
      signal?.removeEventListener('abort', end);
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
