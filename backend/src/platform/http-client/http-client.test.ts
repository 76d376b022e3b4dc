import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createHttpClient, jsonNumber, type HttpClient, type HttpRequest } from './index.ts';
import { CIRCUIT_OPEN, NOT_SENT, UNFIT_PATH, isUnavailable, type ObservedCall } from './index.ts';
import { plainDecimal } from './index.ts';
import { TIMED_OUT } from './create-call-guard.ts';

const secret = 'dev-only-bearer-of-nobody';

/** A server that does what the test says, and the requests that it saw. */
interface Script {
  handle: RequestListener;
  readonly seen: { request: IncomingMessage; body: string }[];
}

let server: Server;
let baseUrl: string;
let script: Script;
let client: HttpClient;
let observed: ObservedCall[];
let logged: string[];

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  // A request of `node:http` yields buffers while no encoding is set.
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
};

const listen = async (listener: RequestListener): Promise<Server> => {
  const made = createServer(listener);
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
};

const urlOf = (listening: Server): string => {
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${address.port}`;
};

const write = (fields: object, message: string): void => {
  logged.push(JSON.stringify({ ...fields, message }));
};

const createClient = (options: Partial<Parameters<typeof createHttpClient>[0]> = {}): HttpClient =>
  createHttpClient({
    name: 'somebody',
    baseUrl,
    timeoutMs: 5000,
    headers: { authorization: `Bearer ${secret}` },
    logger: { debug: write, warn: write },
    observe: (call) => observed.push(call),
    requestId: () => 'request-7',
    firstBackoffMs: 0,
    ...options,
  });

const reading: HttpRequest = { operation: 'read', method: 'GET', path: '/thing', safe: true };
const writing: HttpRequest = { ...reading, operation: 'write', method: 'POST', safe: false };

beforeEach(async () => {
  observed = [];
  logged = [];
  script = { handle: (_request, response) => response.end('{}'), seen: [] };
  server = await listen((request, response) => {
    void readBody(request).then((body) => {
      script.seen.push({ request, body });
      return script.handle(request, response);
    });
  });
  baseUrl = `${urlOf(server)}/base`;
  client = createClient();
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

describe('a path', () => {
  test.each([
    '/orders/../all',
    '/orders/..',
    '/orders/.',
    '/orders/%2e%2E',
    '/orders//payments',
    '/',
  ])('that goes elsewhere is refused and sent nowhere: %s', async (path) => {
    const outcome = await client.request({ ...reading, path });
    expect(outcome).toMatchObject({ kind: 'refused', code: UNFIT_PATH });
    // Another try would be the same: it is no outage.
    expect(isUnavailable(outcome)).toBe(false);
    expect(script.seen).toEqual([]);
  });

  test.each(['/orders/...', '/orders/.a', '/orders/a..b', '/orders/%252e'])(
    'with dots in a name goes there: %s',
    async (path) => {
      await client.request({ ...reading, path });
      expect(script.seen[0]?.request.url).toBe(`/base${path}`);
    },
  );
});

test.each([
  ['1.0005E+3', '1000.5'],
  ['1E3', '1000'],
  ['-2.50e1', '-25.0'],
  ['100050e-2', '1000.50'],
  ['5e-3', '0.005'],
  ['0.0e0', '0.0'],
  ['1e31', '1e31'],
  ['12.30', '12.30'],
  ['1e', '1e'],
])('the number %s is %s, digit by digit', (text, plain) => {
  expect(plainDecimal(text)).toBe(plain);
});

describe('a call', () => {
  test('carries credential, request id, query and an exact body', async () => {
    await client.request({
      ...writing,
      query: { page: '2' },
      json: { amount: jsonNumber('10.10'), left: undefined },
    });
    const [call] = script.seen;
    expect(call?.request.url).toBe('/base/thing?page=2');
    expect(call?.request.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      'x-request-id': 'request-7',
      'content-type': 'application/json',
    });
    expect(call?.body).toBe('{"amount":10.10}');
  });

  test('answers with status, headers, text, and numbers digit by digit', async () => {
    script.handle = (_request, response) => {
      response.setHeader('x-thing', 'yes').end('{"price":12345678901234567.10}');
    };
    const outcome = await client.request(reading);
    expect(outcome).toMatchObject({
      kind: 'done',
      value: {
        status: 200,
        headers: { 'x-thing': 'yes' },
        text: '{"price":12345678901234567.10}',
        json: { price: { value: '12345678901234567.10' } },
      },
    });
  });

  test('is done with a refusal too, and has no json where there is none', async () => {
    script.handle = (_request, response) => response.writeHead(404).end('<html>');
    expect(await client.request(reading)).toMatchObject({
      kind: 'done',
      value: { status: 404, json: undefined },
    });
  });

  test('is observed with its operation, and logged without a secret, address or body', async () => {
    await client.request({ ...writing, json: { otp: '424242' }, query: { phone: '9876543210' } });
    expect(observed).toEqual([
      { collaborator: 'somebody', operation: 'write', outcome: 'done', ms: expect.any(Number) },
    ]);
    expect(logged).toHaveLength(1);
    for (const word of [secret, '424242', '9876543210', baseUrl]) {
      expect(logged.join()).not.toContain(word);
    }
  });
});

describe('nobody can say', () => {
  test.each([500, 502, 503, 408])('after a %i', async (status) => {
    script.handle = (_request, response) => response.writeHead(status).end('{}');
    expect(await client.request(writing)).toEqual({ kind: 'unknown', reason: `HTTP_${status}` });
  });

  test('when the connection is cut before the answer', async () => {
    script.handle = (request) => request.socket.resetAndDestroy();
    expect(await client.request(writing)).toMatchObject({ kind: 'unknown' });
  });

  test('when the answer breaks off', async () => {
    script.handle = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"a":');
      response.destroy();
    };
    expect(await client.request(writing)).toMatchObject({ kind: 'unknown' });
  });

  test('when no answer comes in time', async () => {
    client = createClient({ timeoutMs: 200 });
    script.handle = () => {};
    expect(await client.request(writing)).toEqual({ kind: 'unknown', reason: TIMED_OUT });
  });

  test('when the answer is larger than anything expected', async () => {
    client = createClient({ maxResponseBytes: 1000 });
    script.handle = (_request, response) => response.end('x'.repeat(2000));
    expect(await client.request(writing)).toMatchObject({ kind: 'unknown' });
  });
});

test('a connection that is refused is certain: nothing was sent', async () => {
  // Not the port of a server that was closed: another process may have taken it since.
  client = createClient({ baseUrl: 'http://127.0.0.1:1' });
  const outcome = await client.request(writing);
  expect(outcome).toMatchObject({ kind: 'refused', code: NOT_SENT });
  expect(isUnavailable(outcome)).toBe(true);
});

describe('a repeat', () => {
  test('is made for a safe call, twice at most', async () => {
    script.handle = (_request, response) => response.writeHead(500).end();
    expect(await client.request(reading)).toEqual({ kind: 'unknown', reason: 'HTTP_500' });
    expect(script.seen).toHaveLength(3);
  });

  test('ends with the first answer', async () => {
    script.handle = (_request, response) =>
      response.writeHead(script.seen.length < 2 ? 503 : 200).end('{}');
    expect(await client.request(reading)).toMatchObject({ kind: 'done' });
    expect(script.seen).toHaveLength(2);
  });

  test('is never made for another call', async () => {
    script.handle = (_request, response) => response.writeHead(500).end();
    await client.request(writing);
    expect(script.seen).toHaveLength(1);
  });

  test('is not made after a call that used up its time', async () => {
    client = createClient({ timeoutMs: 20, breaker: { consecutiveFailures: 100 } });
    script.handle = () => {};
    // Often, since a timer counts whole milliseconds and may fire a fraction of one too early.
    for (let count = 1; count <= 40; count += 1) {
      const call = { ...reading, path: `/thing/${count}` };
      expect(await client.request(call)).toEqual({ kind: 'unknown', reason: TIMED_OUT });
    }
    // On a busy machine the time of a call may be used up before its request arrives.
    const paths = script.seen.map(({ request }) => request.url);
    expect(paths.length).toBeGreaterThan(0);
    expect(new Set(paths).size).toBe(paths.length);
  });
});

describe('the circuit', () => {
  const breaker = { consecutiveFailures: 3, halfOpenAfterMs: 60 };

  test('opens after so many failures in a row, and then nothing is sent', async () => {
    client = createClient({ breaker: { ...breaker, halfOpenAfterMs: 60_000 } });
    script.handle = (_request, response) => response.writeHead(500).end();
    for (let count = 0; count < 3; count += 1) await client.request(writing);
    const outcome = await client.request(writing);
    expect(outcome).toMatchObject({ kind: 'refused', code: CIRCUIT_OPEN });
    expect(isUnavailable(outcome)).toBe(true);
    expect(script.seen).toHaveLength(3);
    expect(logged.join()).toContain('"circuit":"Open"');
  });

  test('closes again once a call succeeds', async () => {
    client = createClient({ breaker });
    script.handle = (_request, response) => response.writeHead(500).end();
    for (let count = 0; count < 3; count += 1) await client.request(writing);
    script.handle = (_request, response) => response.end('{}');
    await eventually(async () => {
      expect(await client.request(writing)).toMatchObject({ kind: 'done' });
    });
    expect(logged.join()).toContain('"circuit":"Closed"');
  });

  test('says that it is open, until a probe is due', async () => {
    client = createClient({ breaker: { ...breaker, halfOpenAfterMs: 1000 } });
    script.handle = (_request, response) => response.writeHead(500).end();
    expect(client.isAvailable()).toBe(true);
    for (let count = 0; count < 3; count += 1) await client.request(writing);
    expect(client.isAvailable()).toBe(false);
    await eventually(() => Promise.resolve(client.isAvailable()));
    // The probe is on its way, and nobody else has to wait for it.
    const probed = client.request(writing);
    expect(client.isAvailable()).toBe(false);
    await probed;
    expect(client.isAvailable()).toBe(false);
    script.handle = (_request, response) => response.end('{}');
    await eventually(async () => {
      expect(await client.request(writing)).toMatchObject({ kind: 'done' });
    });
    expect(client.isAvailable()).toBe(true);
  });

  test('does not count the refusals of the collaborator', async () => {
    client = createClient({ breaker });
    script.handle = (_request, response) => response.writeHead(400).end('{}');
    for (let count = 0; count < 6; count += 1) {
      expect(await client.request(writing)).toMatchObject({ kind: 'done' });
    }
  });
});

const throughProxy = async (noProxy: string): Promise<string[]> => {
  const lines: string[] = [];
  const proxy = await listen((request, response) => {
    lines.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  vi.stubEnv('HTTP_PROXY', urlOf(proxy));
  vi.stubEnv('NO_PROXY', noProxy);
  script.handle = (_request, response) => void response.end('{}');
  const proxied = createClient();
  await proxied.request({ operation: 'ping', method: 'GET', path: '/ping', safe: true });
  await proxied.close();
  proxy.close();
  return lines;
};

describe('behind a proxy', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('a call goes to the proxy, with the whole address', async () => {
    expect(await throughProxy('')).toEqual([`GET ${baseUrl}/ping`]);
    expect(script.seen).toEqual([]);
  });

  test('a call to a host that NO_PROXY names goes straight there', async () => {
    expect(await throughProxy('127.0.0.1')).toEqual([]);
    expect(script.seen).toHaveLength(1);
  });
});
