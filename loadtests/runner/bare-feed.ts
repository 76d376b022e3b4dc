import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { Server } from 'socket.io';

/**
 * Sends a price on each mark by a Socket.IO server that does nothing else. What that takes is
 * Socket.IO's own and the machine's.
 */

const tickMs = Number(process.argv[2]);
let seq = 1;

const price = () => ({
  buyPaise: 1_233_666 + seq,
  sellPaise: 1_196_656,
  spotPaise: 1_215_161,
  currency: 'INR',
  unit: 'GRAM',
  source: 'PROVIDER',
  asOf: new Date().toISOString(),
  stale: false,
  seq,
});

const server = createServer();
const feed = new Server(server, { serveClient: false }).of('/price');
feed.on('connection', (socket) => {
  socket.emit('price_snapshot', price());
});

const waitForMark = (): void => {
  // A timer may fire a hair early. The mark must be over.
  setTimeout(
    () => {
      seq += 1;
      feed.emit('price_update', price());
      waitForMark();
    },
    tickMs - (Date.now() % tickMs) + 2,
  );
};
waitForMark();

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
