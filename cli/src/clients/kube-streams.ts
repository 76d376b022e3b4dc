import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { WebSocket } from 'ws';
import { callTimeoutMs, KubeRefusal, type KubeCall } from './kube-call.ts';
import { clientName } from './kube-middleware.ts';

/** Called with the bytes of a numbered stream. */
type OnBytes = (stream: number, bytes: Buffer) => void;

/** A connection to a pod through the API server that carries numbered streams. */
export interface KubeStream {
  /** The negotiated version of the protocol, such as `v5.channel.k8s.io`. */
  readonly protocol: string;
  send(stream: number, bytes: Buffer, done?: (error?: Error | null) => void): void;
  pause(): void;
  resume(): void;
  close(): void;
  /** Resolves when either side has ended the connection. */
  readonly closed: Promise<void>;
}

export type OpenStream = (purpose: string, path: string, onBytes: OnBytes) => Promise<KubeStream>;

/** The versions of the protocol, newest first. Only the first can close a single stream. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

interface OpenRequest {
  readonly config: KubeConfig;
  readonly purpose: string;
  readonly path: string;
  readonly onBytes: OnBytes;
}

/** Opens the socket, with the credentials and certificates of the kubeconfig. */
const openSocket = async ({ config, purpose, path, onBytes }: OpenRequest): Promise<WebSocket> => {
  const server = config.getCurrentCluster()?.server ?? '';
  const options: RequestOptions = { headers: { 'User-Agent': clientName } };
  await config.applyToHTTPSOptions(options);
  const socket = new WebSocket(`${server.replace(/^http/u, 'ws')}${path}`, protocols, options);
  // The listener is added before the socket is open, so that no byte is missed.
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data) || data.length === 0) return;
    onBytes(data.readUInt8(0), data.subarray(1));
  });
  const limit = AbortSignal.timeout(callTimeoutMs);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(limit.reason);
      socket.terminate();
    };
    limit.addEventListener('abort', giveUp, { once: true });
    socket.once('open', () => {
      limit.removeEventListener('abort', giveUp);
      resolve(socket);
    });
    // After a later error the connection ends, which callers handle.
    socket.on('error', reject);
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      const reason = `cannot ${purpose}: the API server answered ${statusCode}`;
      reject(new KubeRefusal(statusCode, reason));
    });
  });
};

const asStream = (socket: WebSocket): KubeStream => ({
  protocol: socket.protocol,
  send: (stream, bytes, done) => socket.send(Buffer.concat([Buffer.of(stream), bytes]), done),
  pause: () => socket.pause(),
  resume: () => socket.resume(),
  close: () => socket.close(),
  closed: new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) resolve();
    else socket.once('close', () => resolve());
  }),
});

/**
 * Creates the function that opens connections with numbered streams to pods. The library's own `Exec`
 * throws at the message by which a pod closes a stream, and its `PortForward` never ends its output.
 */
export const createStreamOpener = (options: {
  readonly config: KubeConfig;
  readonly call: KubeCall;
}): OpenStream => {
  const { config, call } = options;
  return (purpose, path, onBytes) =>
    call(purpose, async () => asStream(await openSocket({ config, purpose, path, onBytes })));
};
