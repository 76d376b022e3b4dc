import { createConnection, createServer, type Socket } from 'node:net';
import { freePort } from '../../dev/stack/free-port.ts';

export interface CuttableServer {
  /** The address that was given, by way of a port that can be cut off. */
  readonly url: string;
  /** Ends every connection and refuses new ones, as a server that died. */
  cut(): Promise<void>;
  /**
   * Lets everything that is sent vanish, on open connections and on new ones, and tells nobody: as
   * a server that lost its power. The server itself sees its connections end.
   */
  vanish(): void;
  /** Does the same to each connection alone whose client sends this text, from then on. */
  loseAt(text: string): void;
  /**
   * Serves new connections after `vanish`, those of another server where its address is given. The
   * ones that were open then stay dead.
   */
  reappear(url?: string): void;
  /** Lets connections through again, on the same port. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

const portOf = (url: URL): number =>
  Number(url.port || (url.protocol.startsWith('redis') ? '6379' : '5432'));

/**
 * Stands before a server (a database, a Redis, an HTTP server) so that a test can take it away
 * from one process and give it back, whoever runs it.
 */
export const openCuttableServer = async (url: string): Promise<CuttableServer> => {
  const target = new URL(url);
  let to = { host: target.hostname, port: portOf(target) };
  let hasVanished = false;
  let lastWords: string | undefined;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const ends = new Map<Socket, Socket>();
  const lose = (near: Socket, far: Socket): void => {
    ends.delete(near);
    near.unpipe();
    far.unpipe();
    near.resume();
    far.destroy();
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    near.on('error', () => {});
    // Takes what comes, and answers nothing.
    if (hasVanished) {
      near.resume();
      return;
    }
    const far = createConnection({ ...to, allowHalfOpen: true });
    keep(far);
    far.on('error', () => {});
    ends.set(near, far);
    near.once('close', () => {
      ends.delete(near);
      far.destroy();
    });
    far.once('close', () => {
      if (ends.has(near)) near.destroy();
    });
    near.on('data', (chunk: Buffer) => {
      if (lastWords !== undefined && chunk.includes(lastWords)) lose(near, far);
    });
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
    vanish() {
      hasVanished = true;
      for (const [near, far] of ends) lose(near, far);
    },
    loseAt(text) {
      lastWords = text;
    },
    reappear(another) {
      if (another !== undefined) {
        const { hostname, port: newPort } = new URL(another);
        to = { host: hostname, port: Number(newPort) };
      }
      hasVanished = false;
    },
    // As it was given: an address without a path stays without a slash at its end.
    url: url.endsWith('/') ? target.href : target.href.replace(/\/$/u, ''),
    cut,
    restore,
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
};
