import { randomInt } from 'node:crypto';
import { isPortFree } from './stack-ports.ts';

const handedOut = new Set<number>();

/**
 * A port that nobody listens on now and that this process did not hand out before. It is below the
 * range from which systems take the ports of outgoing connections, so none of those takes it
 * between this answer and the listening.
 */
export const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = randomInt(15_000, 29_999);
    if (!handedOut.has(port) && (await isPortFree(port))) {
      handedOut.add(port);
      return port;
    }
  }
  throw new Error('no free port found between 15000 and 29999');
};
