import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTimers } from '../../src/platform/clock/timers.ts';

const timers = createTimers();
const repository = join(import.meta.dirname, '..', '..', '..');

/** A fault of the connections through a proxy. */
type Toxic =
  | { readonly type: 'latency'; readonly attributes: { readonly latency: number } }
  | { readonly type: 'timeout'; readonly attributes: { readonly timeout: number } }
  | { readonly type: 'reset_peer'; readonly attributes: { readonly timeout: number } };

export interface Toxiproxy {
  /** Adds a proxy before a port, and returns the proxy's port. */
  add(name: string, listen: number, port: number): Promise<number>;
  /** Refuses new connections and ends the open ones. */
  cut(name: string): Promise<void>;
  /** Adds a fault to the data to the server (upstream), from it (downstream), or both. */
  poison(
    name: string,
    toxic: Toxic,
    streams: readonly ('upstream' | 'downstream')[],
  ): Promise<void>;
  /** Removes the faults of all proxies. */
  heal(): Promise<void>;
  close(): void;
}

/** Starts the proxy server that `.ci/tools/install.sh toxiproxy` builds. */
export const openToxiproxy = async (port: number): Promise<Toxiproxy> => {
  const binary = join(repository, '.tools', 'bin', 'toxiproxy-server');
  if (!existsSync(binary)) {
    throw new Error('there is no toxiproxy: run make tools TOOLS=toxiproxy (needs Go)');
  }
  const server = spawn(binary, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' });
  process.once('exit', () => server.kill('SIGKILL'));
  const call = async (method: string, path: string, body?: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'user-agent': 'digital-gold', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`toxiproxy: ${response.status} ${await response.text()}`);
  };
  const isUp = async (): Promise<boolean> => {
    try {
      return (await fetch(`http://127.0.0.1:${port}/version`)).ok;
    } catch {
      return false;
    }
  };
  for (let tries = 0; !(await isUp()); tries += 1) {
    if (tries > 100) throw new Error('toxiproxy did not start');
    await timers.sleep(50);
  }
  return {
    async add(name, listen, upstream) {
      await call('POST', '/proxies', {
        name,
        listen: `127.0.0.1:${listen}`,
        upstream: `127.0.0.1:${upstream}`,
        enabled: true,
      });
      return listen;
    },
    cut: (name) => call('POST', `/proxies/${name}`, { enabled: false }),
    async poison(name, toxic, streams) {
      for (const stream of streams) {
        await call('POST', `/proxies/${name}/toxics`, { ...toxic, stream });
      }
    },
    heal: () => call('POST', '/reset'),
    close: () => void server.kill('SIGTERM'),
  };
};
