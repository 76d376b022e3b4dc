import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const goldctlFile = join(import.meta.dirname, '..', '..', 'bin', 'goldctl.mjs');

export interface BundleRun {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Its exit code, or null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

const collect = (child: ChildProcess): BundleRun => {
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  return {
    child,
    stdout: () => Buffer.concat(out).toString('utf8'),
    stderr: () => Buffer.concat(err).toString('utf8'),
    ended: new Promise((resolve) => {
      child.once('close', resolve);
    }),
  };
};

const environment = (env: Readonly<Record<string, string>>) => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  ...env,
});

/** Starts the built goldctl as a person's script does: pipes, and no terminal. */
export const startGoldctl = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): BundleRun =>
  collect(
    spawn(process.execPath, [goldctlFile, ...args], {
      env: environment(env),
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );

/** Starts it on a terminal of its own, by the system's `script`. All it shows is in stdout. */
export const startOnTerminal = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): BundleRun => {
  const line = [process.execPath, goldctlFile, ...args].map((word) => `'${word}'`).join(' ');
  return collect(
    spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      env: { ...environment(env), TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
};

/** Runs it to its end with nothing on standard input, or `input`. */
export const runGoldctlBundle = async (
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
) => {
  const run = startGoldctl(args, options.env);
  run.child.stdin?.end(options.input ?? '');
  return { code: await run.ended, stdout: run.stdout(), stderr: run.stderr() };
};
