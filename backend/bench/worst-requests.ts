import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createClientAddresses } from './support/client-addresses.ts';
import { runLoad } from './support/http-load.ts';
import { keepPriceLive } from './support/keep-price-live.ts';
import { openStack, type RunningApp } from './support/open-stack.ts';
import { cpuMsOf, residentMbOf } from './support/process-usage.ts';
import type { Report, Table } from './support/report.ts';
import { median } from './support/statistics.ts';

const rounds = 5;
/**
 * The number of requests, which is high enough for the resolution of the processor time, a
 * hundredth of a second.
 */
const requests = 60;
const unfinished = 400;
const seconds = 3;
const maxBytes = 2 * 1024 * 1024;

interface WorstRequest {
  readonly name: string;
  readonly path: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const signIn = '/v1/auth/send-otp';
const webhook = '/v1/webhooks/payment';
const signatures = {
  'x-gateway-signature': 'a'.repeat(64),
  'x-razorpay-signature': 'a'.repeat(64),
  'x-webhook-signature': `${'A'.repeat(43)}=`,
  'x-webhook-timestamp': '1760000000000',
};

/** Returns a JSON body of nearly `maxBytes`, with one long text. */
const bodyOf = (part: string): Buffer => {
  const times = Math.floor((maxBytes - 100) / Buffer.byteLength(part));
  return Buffer.from(`{"phone":"${part.repeat(times)}"}`);
};

const members = (length: number): string =>
  Array.from({ length: 9990 }, (_, at) => `"${'k'.repeat(length)}${at}":1`).join(',');
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const worst: readonly WorstRequest[] = [
  { name: 'a small one, as a client sends it', path: signIn, body: Buffer.from('{"phone":"+91"}') },
  {
    name: '2 KB of gzip that are 2 MB of brackets',
    path: signIn,
    body: gzipSync(nested(maxBytes / 2)),
    headers: { 'content-encoding': 'gzip' },
  },
  { name: '2 MB of brackets', path: signIn, body: Buffer.from(nested(maxBytes / 2 - 10)) },
  { name: '2 MB of zeros in a list', path: signIn, body: Buffer.from(`[${'0,'.repeat(1e6)}0]`) },
  {
    name: '2 MB of blanks',
    path: signIn,
    body: Buffer.from(`{"phone":${' '.repeat(maxBytes - 99)}1}`),
  },
  {
    name: '2 MB of digits',
    path: signIn,
    body: Buffer.from(`{"phone":${'1'.repeat(maxBytes - 99)}}`),
  },
  { name: '2 MB of one text', path: signIn, body: bodyOf('a') },
  { name: '2 MB of escapes', path: signIn, body: bodyOf('\\n') },
  { name: '2 MB of emoji', path: signIn, body: bodyOf('\u{1f600}') },
  { name: '10,000 long names in 2 MB', path: signIn, body: Buffer.from(`{${members(190)}}`) },
  {
    name: '256 KB, falsely signed',
    path: webhook,
    body: Buffer.alloc(262_000, 'x'),
    headers: signatures,
  },
  {
    name: '2 MB to a webhook',
    path: webhook,
    body: Buffer.alloc(maxBytes, 'x'),
    headers: signatures,
  },
];

const addresses = createClientAddresses();

const send = (url: string, agent: Agent, { path, body, headers }: WorstRequest) =>
  new Promise<void>((resolve, reject) => {
    const common = { 'content-type': 'application/json', 'x-forwarded-for': addresses.next() };
    const options = { method: 'POST', agent, headers: { ...common, ...headers } };
    const sent = request(url + path, options, (response) => {
      response.resume().on('end', resolve).on('error', reject);
    });
    sent.on('error', reject).end(body);
  });

/** Returns the processor time of one request, in ms. */
const costOf = async ({ url, pid }: RunningApp, one: WorstRequest): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = cpuMsOf(pid);
  for (let count = 0; count < requests; count += 1) await send(url, agent, one);
  agent.destroy();
  return (cpuMsOf(pid) - before) / requests;
};

const measureCosts = async (app: RunningApp): Promise<Map<string, number[]>> => {
  const costs = new Map<string, number[]>();
  for (const one of worst) await costOf(app, one);
  for (let round = 0; round < rounds; round += 1) {
    for (const one of worst) {
      costs.set(one.name, [...(costs.get(one.name) ?? []), await costOf(app, one)]);
    }
  }
  return costs;
};

/** Begins requests whose bodies never end, from one address. */
const holdBodies = async (url: string): Promise<Socket[]> => {
  const { hostname, port } = new URL(url);
  const begin = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined).resume();
    const head = `POST ${webhook} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 198.51.100.9\r\n`;
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n800\r\n${'x'.repeat(2048)}\r\n`);
    return socket;
  };
  return Promise.all(Array.from({ length: unfinished }, begin));
};

const measurePrice = async ({ url, pid }: RunningApp): Promise<Table> => {
  const load = { url: `${url}/v1/price/current`, pid, connections: 16, seconds };
  await runLoad(load);
  const rows: (string | number)[][] = [];
  const measure = async (name: string): Promise<void> => {
    const { requestsPerSecond, p50Ms, p99Ms } = await runLoad(load);
    rows.push([name, requestsPerSecond, p50Ms, p99Ms, residentMbOf(pid)]);
  };
  await measure('alone');
  const sockets = await holdBodies(url);
  await measure(`beside ${unfinished} unfinished bodies`);
  for (const socket of sockets) socket.destroy();
  return {
    title: 'GET /price/current',
    columns: ['', 'requests/s', 'p50 ms', 'p99 ms', 'memory MB'],
    rows,
  };
};

/**
 * Measures the most expensive requests that a stranger can send, and their effect on other
 * requests.
 */
export const worstRequests = async (): Promise<Report> => {
  const stack = await openStack();
  const stopFeeding = await keepPriceLive(stack.addresses.databaseUrl);
  try {
    const app = await stack.start('customer');
    const costs = await measureCosts(app);
    const rows = [...costs].map(([name, of]) => [name, median(of), Math.max(...of)]);
    return {
      how: [
        `Each request ${requests} times, one after another, by one connection and each from another`,
        `address; ${rounds} rounds. CPU is the processor time of the process by the number of them,`,
        'reading the socket included. The aim is under 5 ms.',
      ],
      tables: [
        { title: 'one request', columns: ['', 'CPU ms', 'highest round'], rows },
        await measurePrice(app),
      ],
      samples: Object.fromEntries(costs),
    };
  } finally {
    await stopFeeding();
    await stack.stop();
  }
};
