import { createConnection, createServer, type Socket } from 'node:net';
import { freePort } from '../../dev/stack/free-port.ts';

export interface CuttableServer {
  /** The address that was given, by way of a port that can be cut off. */
  readonly url: string;
  /** Ends every connection and refuses new ones, as a server that died. */
  cut(): Promise<void>;
  /** Lets connections through again, on the same port. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Stands before a server (a database, a Redis, an HTTP server) so that a test can take it away
 * from one process and give it back, whoever runs it.
 */
export const openCuttableServer = async (url: string): Promise<CuttableServer> => {
  const target = new URL(url);
  const defaultPort = target.protocol.startsWith('redis') ? '6379' : '5432';
  const to = { host: target.hostname, port: Number(target.port || defaultPort) };
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = createConnection(to);
    keep(near);
    keep(far);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  const port = await freePort();
  const restore = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await restore();
  // A database's Unix socket would be a way past this one.
  target.searchParams.delete('host');
  target.hostname = '127.0.0.1';
  target.port = String(port);
  return {
    // As it was given: an address without a path stays without a slash at its end.
    url: url.endsWith('/') ? target.href : target.href.replace(/\/$/u, ''),
    cut,
    restore,
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
};
