import { randomInt } from 'node:crypto';
import { isPortFree } from './stack-ports.ts';

const handedOut = new Set<number>();

/**
 * The ports of this process: each worker of a test run has others, so none takes one on which
 * another's process is about to listen.
 */
const workers = 16;
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % workers;

/**
 * A port that nobody listens on now and that this process did not hand out before. It is below the
 * range from which systems take the ports of outgoing connections, so none of those takes it
 * between this answer and the listening.
 */
export const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = 15_008 + randomInt(900) * workers + worker;
    if (!handedOut.has(port) && (await isPortFree(port))) {
      handedOut.add(port);
      return port;
    }
  }
  throw new Error('no free port found between 15008 and 29407');
};
