import { nodeArguments } from '../../dev/stack/node-arguments.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { lastWords } from '../../dev/stack/start-server.ts';

export interface BenchProcess {
  readonly pid: number;
  /** The time from the start of the process until it reported that it was ready. */
  readonly readyMs: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Ends the process and resolves when it has ended. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export interface ProcessOptions {
  readonly name: string;
  /** The path of the bundle. */
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  /** The address that answers 2xx when the process is ready. */
  readonly readyUrl: string;
  /** The file for its output, since the local stack's processes also write to a file. */
  readonly logFile: string;
  /** Further options of node. */
  readonly nodeOptions?: readonly string[];
}

const timers = createTimers();
const readyTimeoutMs = 60_000;
const lookEveryMs = 5;
const running = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
};

/** Starts a built process as the local stack does, and waits until it is ready. */
export const startProcess = async (options: ProcessOptions): Promise<BenchProcess> => {
  const { name, main, env, readyUrl, logFile, nodeOptions = [] } = options;
  const log = openSync(logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeArguments, ...nodeOptions, main], {
    env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  running.add(child);
  let isGone = false;
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      isGone = true;
      running.delete(child);
      resolve();
    });
  });
  while (!(await isReady(readyUrl))) {
    if (isGone || performance.now() - startedAt > readyTimeoutMs) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not get ready:\n${lastWords(logFile)}`);
    }
    await timers.sleep(lookEveryMs);
  }
  return {
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    ended,
    kill: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
};
