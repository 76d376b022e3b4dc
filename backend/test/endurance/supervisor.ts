import { answersWell } from '../../dev/stack/start-server.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';

const timers = createTimers();

/** A process that is restarted whenever it ends, as in a cluster. */
interface Supervised {
  readonly name: string;
  /** The path of the built program `<app>/main.js`. */
  readonly main: string;
  readonly env: ProcessEnvironment;
  /** The address that answers 2xx when the process is ready. */
  readonly readyUrl: string;
}

export interface Supervisor {
  readonly names: readonly string[];
  /** Returns the number of restarts of all processes. */
  restarts(): number;
  add(process: Supervised): void;
  /** Sends a signal. Returns false if the process is just starting. */
  signal(name: string, signal: NodeJS.Signals): boolean;
  isReady(name: string): Promise<boolean>;
  untilReady(names?: readonly string[]): Promise<void>;
  /** Ends the processes orderly and removes them. */
  stop(names?: readonly string[]): Promise<void>;
}

/**
 * The time before a restart, which is that of a cluster before its first restart of a container.
 */
const restartAfterMs = 1000;
/** The time in which a process must end after SIGTERM. */
const graceMs = 25_000;
/**
 * The interval of the liveness probes, and the number of consecutive failures after which a process
 * is killed.
 */
const [probeEveryMs, failuresToDeath] = [10_000, 6];

interface Entry extends Supervised {
  child: ChildProcess | undefined;
  isWanted: boolean;
  /**
   * True once a probe has succeeded since the start. Until then failures do not count, since a
   * start may be slow.
   */
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
