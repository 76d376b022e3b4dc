import { existsSync, readFileSync } from 'node:fs';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { runCommand } from './run-command.ts';

const timers = createTimers();

/** Returns the command line of a process, or an empty text if it is gone. */
export const commandLineOf = async (pid: number): Promise<string> => {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      return '';
    }
  }
  const { output } = await runCommand('ps', ['-o', 'command=', '-p', String(pid)]);
  return output.trim();
};

/**
 * Returns whether `pid` is still the process that was started with `mark` among its arguments. An
 * empty mark would match any process, and a signal to pid 0 would reach this process's own group.
 */
export const isProcess = async (pid: number, mark: string): Promise<boolean> =>
  pid > 0 && mark !== '' && (await commandLineOf(pid)).includes(mark);

/**
 * Returns true while a process is ending. It has no command line any more, but keeps its ports
 * until it is a zombie or gone.
 */
const isEnding = (pid: number): boolean => {
  try {
    const [, state = ''] = /\) (\S)/u.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
};

/** Sends a signal. A process that is gone already is fine. */
const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it ended between the look and the signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

interface StopOptions {
  readonly pid: number;
  /** Part of its command line, so that a reused pid never costs a stranger's process. */
  readonly mark: string;
  readonly signal?: NodeJS.Signals;
  /** The time after which it is killed. */
  readonly graceMs?: number;
}

/** Stops a process and waits until it is gone. Returns false when it was not there. */
export const stopProcess = async (options: StopOptions): Promise<boolean> => {
  const { pid, mark, signal = 'SIGTERM', graceMs = 20_000 } = options;
  if (!(await isProcess(pid, mark))) return false;
  signalProcess(pid, signal);
  const deadline = performance.now() + graceMs;
  while (await isProcess(pid, mark)) {
    if (performance.now() > deadline) signalProcess(pid, 'SIGKILL');
    await timers.sleep(25);
  }
  while ((await commandLineOf(pid)) === '' && isEnding(pid)) await timers.sleep(25);
  return true;
};
