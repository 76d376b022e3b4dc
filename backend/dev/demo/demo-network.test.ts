import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as SocketServer } from 'socket.io';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createDemoNetwork, type DemoNetwork } from './demo-network.ts';
import { listenToPrices } from './price-listener.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const serve = async (listener?: RequestListener): Promise<{ server: Server; port: number }> => {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { server, port };
};

/** Sends a request and reads its answer whole. */
const send = async (network: Pick<DemoNetwork, 'fetch'>, url: string) => {
  const response = await network.fetch(new Request(url));
  return { status: response.status, text: await response.text() };
};

const open = (resolve: Readonly<Record<string, string>>) => {
  const waits: number[] = [];
  const timers = { sleep: async (ms: number) => void waits.push(ms) };
  const network = createDemoNetwork({ resolve, timers });
  closers.push(() => network.close());
  return { network, waits };
};

const behind = { 'gold.example': '127.0.0.1' };

const refusal = (code: string): string => JSON.stringify({ error: { code } });

it("the demo's network reaches a host at the address of its ingress, under its own name", async () => {
  const { port } = await serve((req, res) => void res.end(req.headers.host));
  const { network } = open(behind);
  const { status, text } = await send(network, `http://gold.example:${port}/v1/health`);
  expect([status, text]).toEqual([200, `gold.example:${port}`]);
});

it("the demo's network leaves every other host to DNS", async () => {
  const { port } = await serve((req, res) => void res.end(req.headers.host));
  const { network } = open(behind);
  expect((await send(network, `http://127.0.0.1:${port}/`)).text).toBe(`127.0.0.1:${port}`);
  await expect(send(network, 'http://other.invalid/')).rejects.toThrow('fetch failed');
});

it.each(['gold.example', '127.0.0.1'])(
  'waits as the rate limit of %s tells it to',
  async (host) => {
    let calls = 0;
    const { port } = await serve((_req, res) => {
      calls += 1;
      if (calls > 2) res.end('done');
      else res.writeHead(429, { 'retry-after': '7' }).end(refusal('RATE_LIMITED'));
    });
    const { network, waits } = open(behind);
    const { status, text } = await send(network, `http://${host}:${port}/`);
    expect([status, text]).toEqual([200, 'done']);
    expect(waits).toEqual([7000, 7000]);
  },
);

it("the demo's network hands on a refusal that waiting does not mend", async () => {
  let code = 'RATE_LIMITED';
  const { port } = await serve((_req, res) => {
    res.writeHead(429, { 'retry-after': '7' }).end(refusal(code));
  });
  const { network, waits } = open(behind);
  expect((await send(network, `http://gold.example:${port}/`)).status).toBe(429);
  expect(waits).toEqual([7000, 7000, 7000]);
  code = 'TOO_MANY_ATTEMPTS';
  expect((await send(network, `http://gold.example:${port}/`)).text).toBe(refusal(code));
  expect(waits).toHaveLength(3);
});

it("the demo's network brings sockets there too", async () => {
  const { server, port } = await serve();
  const io = new SocketServer(server);
  closers.push(() => io.engine.close());
  const tick = { buyPaise: 2, sellPaise: 1, spotPaise: 1, asOf: '2026-01-01T00:00:00.000Z' };
  let host: string | undefined;
  io.of('/price').on('connection', (socket) => {
    host = socket.request.headers.host;
    socket.emit('price_snapshot', { ...tick, seq: 3 });
  });
  const { network } = open(behind);
  const prices = listenToPrices(`http://gold.example:${port}`, network);
  closers.push(() => prices.close());
  await eventually(() => prices.snapshot() !== undefined);
  expect(prices.snapshot()?.seq).toBe(3);
  expect(host).toBe(`gold.example:${port}`);
});
