import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createRequestWatch, drainUntilQuiet } from './watch-requests.ts';

/** Drains with the given times since the last request, one for each look, and the waits that follow. */
const drain = async (times: { drainDelayMs: number; graceMs: number }, idle: number[]) => {
  const waits: number[] = [];
  await drainUntilQuiet({
    ...times,
    quietMs: 3000,
    sleep: async (ms) => void waits.push(ms),
    idleMs: () => idle.shift() ?? 0,
  });
  return waits;
};

it('the wait ends after the delay where nobody has asked for a while', async () => {
  expect(await drain({ drainDelayMs: 10_000, graceMs: 40_000 }, [3000])).toEqual([10_000]);
});

it('the wait goes on until nobody has asked for a while', async () => {
  const waits = await drain({ drainDelayMs: 10_000, graceMs: 40_000 }, [500, 1000, 5000]);
  expect(waits).toEqual([10_000, 2500, 2000]);
});

it('the wait goes on for half of what is left of the grace at most', async () => {
  const waits = await drain({ drainDelayMs: 10_000, graceMs: 40_000 }, []);
  expect(waits.reduce((sum, one) => sum + one, 0)).toBe(25_000);
});

it('the wait ends at once without a delay', async () => {
  expect(await drain({ drainDelayMs: 0, graceMs: 40_000 }, [])).toEqual([0]);
});

it('the wait notes what clients ask for, and no checks', async () => {
  const server = createServer((_req, res) => void res.end());
  const requests = createRequestWatch();
  requests.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const path of ['/', '/?x=1', '/healthz', '/readyz', '/metrics', '/switches']) {
    await (await fetch(`http://127.0.0.1:${port}${path}`)).arrayBuffer();
  }
  expect(requests.idleMs()).toBe(Infinity);
  await (await fetch(`http://127.0.0.1:${port}/v1/health`)).arrayBuffer();
  expect(requests.idleMs()).toBeLessThan(60_000);
  server.close();
});
