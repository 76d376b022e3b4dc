import { spawn } from 'node:child_process';

/** A port of a service of the cluster, on loopback of this machine. */
export interface Forward {
  readonly port: number;
  readonly close: () => void;
}

/**
 * Makes a service's port reachable from here, at a free port.
 * @throws Error with what kubectl said when it ends instead.
 */
export const forward = (namespace: string, service: string, port: number): Promise<Forward> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      'kubectl',
      ['-n', namespace, 'port-forward', '--address=127.0.0.1', `service/${service}`, `:${port}`],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const local = /127\.0\.0\.1:(?<port>\d+)/u.exec(text)?.groups?.['port'];
      if (local !== undefined) resolve({ port: Number(local), close: () => void child.kill() });
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`port-forward to ${service}: ${said.trim()}`)));
  });
