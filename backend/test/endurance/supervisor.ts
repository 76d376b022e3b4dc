import { answersWell } from '../../dev/stack/start-server.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';

const timers = createTimers();

/** A process that is started again whenever it is gone, as a cluster would. */
interface Supervised {
  readonly name: string;
  /** The built program, `<app>/main.js`. */
  readonly main: string;
  readonly env: ProcessEnvironment;
  /** Answers 2xx when it is ready. */
  readonly readyUrl: string;
}

export interface Supervisor {
  readonly names: readonly string[];
  /** Starts of each process that was gone. */
  restarts(): number;
  add(process: Supervised): void;
  /** Sends a signal. Returns false if the process is just starting. */
  signal(name: string, signal: NodeJS.Signals): boolean;
  isReady(name: string): Promise<boolean>;
  untilReady(names?: readonly string[]): Promise<void>;
  /** Ends these, in order, and starts them no more. */
  stop(names?: readonly string[]): Promise<void>;
}

/** The wait of a cluster before it starts a container again, at first. */
const restartAfterMs = 1000;
/** The time that a process has to end in order. */
const graceMs = 25_000;
/** Probes of liveness, and the failures in a row after which a process is killed. */
const [probeEveryMs, failuresToDeath] = [10_000, 6];

interface Entry extends Supervised {
  child: ChildProcess | undefined;
  isWanted: boolean;
  /** Has been alive since it started: a slow start is no death. */
  hasLived: boolean;
  failures: number;
  ended: Promise<void>;
}

/** Supervises processes whose logs go into a folder. */
export const createSupervisor = (logs: string): Supervisor => {
  const entries = new Map<string, Entry>();
  let restarts = 0;

  const runLater = async (entry: Entry): Promise<void> => {
    await timers.sleep(restartAfterMs);
    if (entry.isWanted) run(entry);
  };
  const run = (entry: Entry): void => {
    const log = openSync(join(logs, `${entry.name}.log`), 'a');
    const child = spawn(process.execPath, ['--enable-source-maps', entry.main], {
      env: entry.env,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    entry.child = child;
    entry.failures = 0;
    entry.hasLived = false;
    entry.ended = new Promise((resolve) => child.once('exit', () => resolve()));
    child.once('exit', () => {
      entry.child = undefined;
      if (!entry.isWanted) return;
      restarts += 1;
      void runLater(entry);
    });
  };
  const probeOne = async (entry: Entry): Promise<void> => {
    if (entry.child === undefined) return;
    const isAlive = await answersWell(entry.readyUrl.replace('/readyz', '/livez'));
    entry.hasLived ||= isAlive;
    entry.failures = isAlive || !entry.hasLived ? 0 : entry.failures + 1;
    if (entry.failures >= failuresToDeath) entry.child?.kill('SIGKILL');
  };
  const probe = setInterval(() => {
    for (const entry of entries.values()) void probeOne(entry);
  }, probeEveryMs);
  // A run that ends early must leave no process behind.
  process.once('exit', () => {
    for (const { child } of entries.values()) child?.kill('SIGKILL');
  });
  const isReady = async (name: string): Promise<boolean> => {
    const entry = entries.get(name);
    return entry !== undefined && answersWell(entry.readyUrl);
  };

  return {
    get names() {
      return [...entries.keys()];
    },
    restarts: () => restarts,
    add(given) {
      const entry = { ...given, child: undefined, isWanted: true, hasLived: false, failures: 0 };
      const added: Entry = { ...entry, ended: Promise.resolve() };
      entries.set(given.name, added);
      run(added);
    },
    signal: (name, signal) => entries.get(name)?.child?.kill(signal) ?? false,
    isReady,
    async untilReady(names = [...entries.keys()]) {
      const deadline = performance.now() + 300_000;
      for (const name of names) {
        while (!(await isReady(name))) {
          if (performance.now() > deadline) throw new Error(`${name} did not get ready`);
          await timers.sleep(100);
        }
      }
    },
    async stop(names = [...entries.keys()]) {
      const stopped = names.flatMap((name) => entries.get(name) ?? []);
      if (stopped.length === entries.size) clearInterval(probe);
      for (const entry of stopped) {
        entry.isWanted = false;
        entry.child?.kill('SIGCONT');
        entry.child?.kill('SIGTERM');
      }
      const isOver = Promise.all(stopped.map(({ ended }) => ended));
      await Promise.race([isOver, timers.sleep(graceMs)]);
      for (const { child } of stopped) child?.kill('SIGKILL');
      await isOver;
      for (const { name } of stopped) entries.delete(name);
    },
  };
};
