import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of loopback, and how to stop it. */
export interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Listens with an app, or with a server. */
export const listen = async (target: RequestListener | Server): Promise<Listening> => {
  const server = typeof target === 'function' ? createServer(target) : target;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
