import { createServer, type Server, type Socket } from 'node:net';
import { Duplex, pipeline } from 'node:stream';
import { CliError, exitCodes } from '../cli-error.ts';
import type { KubeStream, OpenStream } from './kube-streams.ts';
import type { KubeClient } from './kube.types.ts';

/** The numbers of the streams. Each stream begins with two bytes that repeat the port. */
const streams = { data: 0, error: 1 } as const;
const portPrefixBytes = 2;

/** A connection to a pod's port as a stream of bytes. */
class Tunnel extends Duplex {
  private stream: KubeStream | undefined;
  private readonly isPrefixed = new Set<number>();

  attach(stream: KubeStream): void {
    this.stream = stream;
    // The pod may have refused the port before the stream was attached.
    if (this.destroyed) stream.close();
    void stream.closed.then(() => this.push(null));
  }

  receive(number: number, bytes: Buffer): void {
    const isFirst = !this.isPrefixed.has(number);
    this.isPrefixed.add(number);
    const rest = isFirst ? bytes.subarray(portPrefixBytes) : bytes;
    if (rest.length === 0) return;
    if (number === streams.error) {
      this.destroy(new Error(rest.toString('utf8').trim()));
    } else if (number === streams.data && !this.push(rest)) {
      this.stream?.pause();
    }
  }

  override _read(): void {
    this.stream?.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.stream === undefined) done(new Error('not attached'));
    else this.stream.send(streams.data, chunk, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.stream?.close();
    done(error);
  }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('the listener has no port'));
    });
  });

/** Creates the function that opens a port of this machine and forwards it to a pod. */
export const createPortForward = (options: {
  readonly open: OpenStream;
  readonly namespace: string;
}): KubeClient['portForward'] => {
  const { open, namespace } = options;
  return async (pod, port) => {
    const path =
      `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}` +
      `/portforward?ports=${port}`;
    const openTunnel = async (): Promise<Tunnel> => {
      const tunnel = new Tunnel();
      // An error before the tunnel is read must not end the process. The reader gets it later.
      tunnel.on('error', () => undefined);
      const purpose = `reach port ${port} of pod ${pod}`;
      tunnel.attach(await open(purpose, path, (number, bytes) => tunnel.receive(number, bytes)));
      return tunnel;
    };
    // The first connection is opened in advance, so that a refusal is reported as such.
    let first: Tunnel | undefined = await openTunnel();
    const tunnels = new Set<Tunnel>([first]);
    const forward = async (socket: Socket, ready: Promise<Tunnel>): Promise<void> => {
      try {
        const tunnel = await ready;
        tunnels.add(tunnel);
        pipeline(socket, tunnel, socket, () => {
          tunnels.delete(tunnel);
          tunnel.destroy();
          socket.destroy();
        });
      } catch {
        socket.destroy();
      }
    };
    const server = createServer((socket) => {
      const ready = first === undefined || first.destroyed ? openTunnel() : Promise.resolve(first);
      first = undefined;
      socket.on('error', () => undefined);
      void forward(socket, ready);
    });
    try {
      return {
        port: await listen(server),
        close: () =>
          new Promise((resolve) => {
            for (const tunnel of tunnels) tunnel.destroy();
            server.close(() => resolve());
          }),
      };
    } catch (error) {
      first?.destroy();
      const reason = error instanceof Error ? error.message : String(error);
      throw new CliError(`cannot open a port on this machine: ${reason}`, exitCodes.failed);
    }
  };
};
