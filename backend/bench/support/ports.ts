import { freePort } from '../../dev/stack/free-port.ts';
import { isPortFree } from '../../dev/stack/stack-ports.ts';

const count = 50;
/** The first port that systems use for outgoing connections (32768 to 60999 on Linux). */
const ephemeralFrom = 32_768;
let next = 0;

const readFirstPort = (text: string): number => {
  const first = /^\d{4,5}$/u.test(text) ? Number(text) : 0;
  if (first >= 1024 && first + count <= ephemeralFrom) return first;
  throw new Error(
    `BENCH_PORT must be from 1024 to ${ephemeralFrom - count}, not "${text}": an outgoing ` +
      `connection can take a port from ${ephemeralFrom} on before a server listens there`,
  );
};

/**
 * Returns a free port. If `BENCH_PORT` is set, it is one of the fifty ports from this number,
 * otherwise a port as the local stack and the tests choose it.
 * @throws Error if `BENCH_PORT` is invalid or all fifty ports are taken.
 */
export const benchPort = async (): Promise<number> => {
  const text = process.env['BENCH_PORT'] ?? '';
  if (text === '') return freePort();
  const first = readFirstPort(text);
  while (next < count) {
    const port = first + next;
    next += 1;
    if (await isPortFree(port)) return port;
  }
  throw new Error(`none of the ${count} ports from ${first} on is free`);
};
