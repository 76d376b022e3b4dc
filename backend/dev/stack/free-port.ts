import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isPortFree } from './stack-ports.ts';

/**
 * Claims a port's number for this process among all processes on this machine that use this
 * function. The claim is the UDP port of that number, which the system releases when the process
 * ends. No other process then gets a TCP port on which a server of this one is about to listen.
 */
const claim = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.unref();
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });

/**
 * Returns a port that is not in use and that no other process gets while this process runs. It is
 * below the range from which systems take the ports of outgoing connections, so none of those takes
 * it before the server listens.
 */
export const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = 15_000 + randomInt(14_400);
    if ((await claim(port)) && (await isPortFree(port))) return port;
  }
  throw new Error('no free port found between 15000 and 29399');
};
