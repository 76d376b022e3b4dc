import { PassThrough } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
// The package's face has it only inside of Exec and PortForward, which fix how streams end.
import { WebSocketHandler } from '@kubernetes/client-node/dist/web-socket-handler.js';
import { callTimeoutMs, KubeRefusal, type KubeCall } from './kube-call.ts';

type Socket = Awaited<ReturnType<WebSocketHandler['connect']>>;

/** Takes the bytes of a numbered stream. */
type OnBytes = (stream: number, bytes: Buffer) => void;

/** A connection to a pod through the API server that carries numbered streams. */
export interface KubeStream {
  /** The version of the protocol that was agreed on, such as `v5.channel.k8s.io`. */
  readonly protocol: string;
  send(stream: number, bytes: Buffer, done?: (error?: Error | null) => void): void;
  pause(): void;
  resume(): void;
  close(): void;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<void>;
}

export type OpenStream = (purpose: string, path: string, onBytes: OnBytes) => Promise<KubeStream>;

const refusedUpgrade = /Unexpected server response: (?<status>\d{3})/u;

/** Reads the status of a refused upgrade: the library rejects with an event that has it as text. */
const upgradeFailure = (purpose: string, reason: unknown): unknown => {
  const event = typeof reason === 'object' && reason !== null ? reason : {};
  if ('message' in event && typeof event.message === 'string') {
    const status = refusedUpgrade.exec(event.message)?.groups?.['status'];
    if (status !== undefined) {
      return new KubeRefusal(
        Number(status),
        `cannot ${purpose}: the API server answered ${status}`,
      );
    }
  }
  return 'error' in event ? event.error : reason;
};

const withinTime = async (opening: Promise<Socket>): Promise<Socket> => {
  const limit = AbortSignal.timeout(callTimeoutMs);
  const late = new Promise<never>((_resolve, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });
  try {
    return await Promise.race([opening, late]);
  } catch (error) {
    // One that opens after all is of no use to anybody.
    void opening.then((socket) => socket.terminate()).catch(() => undefined);
    throw error;
  }
};

const asStream = (socket: Socket): KubeStream => ({
  protocol: socket.protocol,
  send: (stream, bytes, done) => socket.send(Buffer.concat([Buffer.of(stream), bytes]), done),
  pause: () => socket.pause(),
  resume: () => socket.resume(),
  close: () => socket.close(),
  closed: new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) resolve();
    else socket.addEventListener('close', () => resolve());
  }),
});

/** Returns true to the library, which closes the connection otherwise. */
const keepOpen =
  (onBytes: OnBytes) =>
  (stream: number, bytes: Buffer): boolean => {
    onBytes(stream, bytes);
    return true;
  };

/** Opens connections that carry streams to pods. */
export const createStreamOpener = (options: {
  readonly config: KubeConfig;
  readonly call: KubeCall;
}): OpenStream => {
  const { config, call } = options;
  return (purpose, path, onBytes) =>
    call(purpose, async () => {
      // Left to itself the library ends this process's own output when a pod closes a stream.
      const streams = {
        stdin: new PassThrough(),
        stdout: new PassThrough(),
        stderr: new PassThrough(),
      };
      const handler = new WebSocketHandler(config, undefined, streams);
      try {
        return asStream(await withinTime(handler.connect(path, null, keepOpen(onBytes))));
      } catch (error) {
        throw upgradeFailure(purpose, error);
      }
    });
};
