import { once } from 'node:events';
import type { Server } from 'node:http';

/**
 * Listens on a free port and returns the address. As in the service, an idle connection outlives
 * every client's use of it. A connection that ended after Node's 5 s would, on a busy machine, end
 * under the very request that is about to use it.
 */
export const listen = async (server: Server): Promise<string> => {
  server.keepAliveTimeout = 75_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return `http://127.0.0.1:${address.port}`;
};
