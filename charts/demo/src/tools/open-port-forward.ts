import { spawn } from 'node:child_process';
import type { Kubectl } from './create-kubectl.ts';

export interface PortForward {
  /** On loopback of this machine. */
  readonly port: number;
  close(): void;
}

/**
 * Makes a port of a service, such as `service/x`, reachable from here, at a free port.
 * @throws Error with kubectl's words when it ends instead
 */
export const openPortForward = (
  kubectl: Pick<Kubectl, 'base'>,
  target: string,
  port: number,
): Promise<PortForward> =>
  new Promise((resolve, reject) => {
    const args = [...kubectl.base, 'port-forward', '--address=127.0.0.1', target, `:${port}`];
    const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      words += chunk;
    });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const local = /Forwarding from 127\.0\.0\.1:(\d+)/u.exec(chunk)?.[1];
      if (local !== undefined) resolve({ port: Number(local), close: () => void child.kill() });
    });
    const fail = (why: string): void => reject(new Error(`port-forward to ${target}: ${why}`));
    child.once('error', (error) => fail(error.message));
    child.once('exit', () => fail(words.trim()));
  });
