import { freePort } from '../../dev/stack/free-port.ts';
import { isPortFree } from '../../dev/stack/stack-ports.ts';

const count = 50;
let next = 0;

/**
 * A free port: one of the fifty from `BENCH_PORT` on where that is given, else any that the local
 * stack and the tests would take too.
 */
export const benchPort = async (): Promise<number> => {
  const text = process.env['BENCH_PORT'] ?? '';
  if (text === '') return freePort();
  const first = Number(text);
  while (next < count) {
    const port = first + next;
    next += 1;
    if (await isPortFree(port)) return port;
  }
  throw new Error(`none of the ${count} ports from ${first} on is free`);
};
