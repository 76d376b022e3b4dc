import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../dev/stack/free-port.ts';
import { lastLines } from '../../dev/stack/run-command.ts';
import { waitUntilReady, answersWell } from '../../dev/stack/start-server.ts';
import { callTestServers } from './call-test-servers.ts';

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedProcess {
  readonly app: string;
  readonly pid: number;
  /** `http://127.0.0.1:PORT`. The worker listens only on its internal port. */
  readonly url: string;
  /** The address of its probes and metrics. */
  readonly internalUrl: string;
  /** Returns everything that it has logged so far. */
  log(): string;
  /** Ends it, at once or in order, and resolves when it is gone. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<ProcessEnd>;
  /** Resolves when it is gone, whoever ended it. */
  readonly ended: Promise<ProcessEnd>;
}

interface StartOptions {
  /** The time in which it must be ready, 120 s unless given, for busy machines. */
  readonly timeoutMs?: number;
}

const dist = join(import.meta.dirname, '..', '..', 'dist');
/** Kept between runs: a process that finds its code compiled starts in five sixths of the time. */
const compileCache = join(dist, '.compile-cache');
const running = new Set<ChildProcess>();

// A test file that ends early must leave no process behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a built process of the service as a child, with `env` as its whole environment but for
 * Node's cache of compiled code, and waits until it is ready. `PORT` and `INTERNAL_PORT` are chosen
 * when `env` has none.
 * @throws Error with the end of its log when it ends before it is ready.
 */
export const startProcess = async (
  app: string,
  env: Readonly<Record<string, string>>,
  options: StartOptions = {},
): Promise<StartedProcess> => {
  const { timeoutMs = 120_000 } = options;
  await callTestServers('POST', `/builds/${app}`);
  const main = join(dist, app, 'main.js');
  const port = env['PORT'] ?? String(await freePort());
  const internalPort = env['INTERNAL_PORT'] ?? String(await freePort());
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    env: { ...env, PORT: port, INTERNAL_PORT: internalPort, NODE_COMPILE_CACHE: compileCache },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  let gone = false;
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('close', (code, signal) => {
      gone = true;
      running.delete(child);
      resolve({ code, signal });
    });
  });
  const log = (): string => Buffer.concat(said).toString('utf8');
  const url = `http://127.0.0.1:${port}`;
  const internalUrl = `http://127.0.0.1:${internalPort}`;
  const probe = app === 'sandbox' ? `${url}/_control/clock` : `${internalUrl}/readyz`;
  const ready = await waitUntilReady(
    () => answersWell(probe),
    timeoutMs,
    () => !gone,
  );
  if (!ready) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(`${app} did not get ready:\n${lastLines(log(), 20)}`);
  }
  return {
    app,
    pid: child.pid ?? 0,
    url,
    internalUrl,
    log,
    ended,
    kill(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
};
