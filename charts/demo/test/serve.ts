import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves at a free port of loopback. `connections` returns the number of connections so far. */
export const serve = async (listener: RequestListener) => {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { host: 'gold.example', address: '127.0.0.1', port },
    connections: () => connections,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
