import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createTimers } from '../../src/platform/clock/timers.ts';
import type { ProcessEnvironment } from './environment.ts';
import { lastLines } from './run-command.ts';
import type { ServerUser } from './server-user.ts';

const timers = createTimers();

interface ServerOptions {
  /** Its name in the message when it does not start. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  /** Receives the pid, since another server on the same port could answer for it. */
  readonly isReady: (pid: number) => Promise<boolean>;
  readonly timeoutMs: number;
  readonly cwd?: string;
  /** The whole environment of the process. By default it is the environment of this process. */
  readonly env?: ProcessEnvironment;
  readonly user?: ServerUser | undefined;
  /** Receives the pid at once, before the process is ready. */
  readonly onStarted?: (pid: number) => void;
}

/** Returns true if this address answers with a status of success within two seconds. */
export const answersWell = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
};

/**
 * Tries until `isReady` is true. Returns false if `mayContinue` turns false or the time is over.
 */
export const waitUntilReady = async (
  isReady: () => Promise<boolean>,
  timeoutMs: number,
  mayContinue: () => boolean = () => true,
): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs;
  while (mayContinue() && performance.now() < deadline) {
    if (await isReady()) return true;
    await timers.sleep(25);
  }
  return false;
};

/** Returns the last lines of a log, for a message. */
export const lastWords = (logFile: string): string =>
  lastLines(readFileSync(logFile, 'utf8'), 12) || '(it said nothing)';

/**
 * Starts a process that outlives this one, and waits until it is ready.
 * @throws Error with the end of its log when it ends before that, or takes too long.
 */
export const startServer = async (options: ServerOptions): Promise<{ readonly pid: number }> => {
  const { name, command, args, logFile, timeoutMs } = options;
  const log = openSync(logFile, 'a');
  const child = spawn(command, [...args], {
    ...options.user,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env }),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let failure: string | undefined;
  child.once('exit', (code, signal) => (failure = `it ended with ${code ?? signal}`));
  const pid = await new Promise<number | undefined>((resolve) => {
    child.once('spawn', () => resolve(child.pid));
    child.once('error', (error) => {
      failure = error.message;
      resolve(undefined);
    });
  });
  child.unref();
  if (pid !== undefined) {
    options.onStarted?.(pid);
    const isReady = (): Promise<boolean> => options.isReady(pid);
    const ready = await waitUntilReady(isReady, timeoutMs, () => failure === undefined);
    if (ready) return { pid };
  }
  const why = failure ?? `it was not ready after ${Math.ceil(timeoutMs / 1000)} s`;
  throw new Error(`${name} did not start: ${why}. The end of ${logFile}:\n${lastWords(logFile)}`);
};
