import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTimers } from '../../src/platform/clock/timers.ts';

const timers = createTimers();
const repository = join(import.meta.dirname, '..', '..', '..');

/** The trouble that a proxy makes for the connections through it. */
type Toxic =
  | { readonly type: 'latency'; readonly attributes: { readonly latency: number } }
  | { readonly type: 'timeout'; readonly attributes: { readonly timeout: number } }
  | { readonly type: 'reset_peer'; readonly attributes: { readonly timeout: number } };

export interface Toxiproxy {
  /** Puts a proxy before a port, and returns its own port. */
  add(name: string, listen: number, port: number): Promise<number>;
  /** Refuses connections and ends the open connections. */
  cut(name: string): Promise<void>;
  /** Poisons what goes up (to the server), down, or both. */
  poison(
    name: string,
    toxic: Toxic,
    streams: readonly ('upstream' | 'downstream')[],
  ): Promise<void>;
  /** Takes every poison out again, of all proxies. */
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
