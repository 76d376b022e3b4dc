import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRestartableRedis, type RestartableRedis } from '#test/support/restartable-redis.ts';
import { connectRedis } from '#test/support/connect-redis.ts';
import { eventually } from '#test/support/eventually.ts';
import { createRandom } from '../ids/random.ts';
import { createRefusalLimit } from '../rate-limit/create-refusal-limit.ts';
import { closeRedis } from '../redis/index.ts';
import { createApi } from './index.ts';
import { guard, routes } from './testing/things-api.ts';

const pass: RequestHandler = (_req, _res, next) => next();
const reached: string[] = [];
const memoryBytes = 300_000;

let redisServer: RestartableRedis;
let redis: Redis;
let server: Server;
let port = 0;
const sockets: Socket[] = [];

beforeAll(async () => {
  redisServer = await createRestartableRedis();
  await redisServer.start();
  redis = await connectRedis(redisServer.url);
  const app = createApi({
    info: { title: 'Things', version: '1.0.0', description: 'For the test', prefix: '/v1' },
    routes,
    guard,
    rateLimit: pass,
    requestLog: pass,
    metrics: pass,
    logger: { error: () => undefined },
    random: createRandom(),
    trustProxyHops: 1,
    corsAllowedOrigins: ['https://app.example.test'],
    internalHostnames: [],
    checkReplies: true,
    docs: false,
    bodies: {
      limits: { timeoutMs: 500, memoryBytes, maxDepth: 32, maxValues: 10_000 },
      onBound: (bound) => reached.push(bound),
      refusals: createRefusalLimit({
        redis,
        prefix: 'signed',
        limit: 3,
        windowMs: 60_000,
        onLimited: () => reached.push('refused_webhooks'),
      }),
    },
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo); // it listens on a port
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await closeRedis(redis);
  await redisServer.close();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  reached.length = 0;
});

interface Sent {
  readonly status: number | undefined;
  readonly code: unknown;
  readonly json: Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
}

const json = { authorization: 'Bearer ann', 'content-type': 'application/json' };

/** Sends bytes as they are, without anything that a client would add. */
const send = (body: string | Buffer, more = {}, path = '/v1/things/latest') =>
  new Promise<Sent>((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      method: 'POST',
      path,
      headers: { ...json, ...more },
    };
    request(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const answered = text.startsWith('{') ? JSON.parse(text) : {};
        const { statusCode: status, headers } = response;
        resolve({ status, code: answered.error?.code, json: answered, headers });
      });
    })
      .on('error', reject)
      .end(body);
  });

/** Begins a request and sends a part of its body. `received` is what came back. */
const begin = async (from: string, part: string, declared = 90_000, path = '/v1/raw') => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  const state = { received: '', isClosed: false, socket };
  socket.on('data', (data) => (state.received += data.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (state.isClosed = true));
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${from}\r\n`;
  socket.write(`${head}content-length: ${declared}\r\n\r\n${part}`);
  return state;
};

describe('the encoding of a body', () => {
  it.each(['gzip', 'deflate', 'br', 'gzip, identity', 'x'])('refuses %s', async (encoding) => {
    const bomb = gzipSync(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`);
    const headers = { 'content-encoding': encoding };
    for (const path of ['/v1/things', '/v1/things/latest', '/v1/raw']) {
      const answer = await send(bomb, headers, path);
      expect([path, answer.status, answer.code]).toEqual([path, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    expect(reached).toContain('body_encoding');
  });

  it('takes one that is as it is', async () => {
    expect((await send('{}', { 'content-encoding': 'identity' })).status).toBe(200);
    expect((await send('{}', { 'content-encoding': 'Identity' })).status).toBe(200);
  });

  it.each([
    ['iso-8859-1', 415],
    ['utf-16', 415],
    ['UTF-8', 200],
    ['"utf-8"', 200],
    ['utf8', 200],
  ])('answers the charset %s by %i', async (charset, status) => {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    expect((await send('{}', headers)).status).toBe(status);
  });

  it('refuses bytes that are no UTF-8 and skips a byte order mark', async () => {
    const latin = Buffer.from('{"name":"Jos\u00e9"}', 'latin1');
    const refused = await send(latin);
    expect([refused.status, refused.code]).toEqual([400, 'MALFORMED_JSON']);
    const surrogate = Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]);
    expect((await send(surrogate)).code).toBe('MALFORMED_JSON');
    expect((await send('\ufeff{}')).status).toBe(200);
    const named = await send('\ufeff{"name":"ring","unit":"INR"}', {}, '/v1/things');
    expect(named.json).toMatchObject({ name: 'ring' });
    expect((await send(Buffer.from('\ufeff{}', 'utf16le'))).code).toBe('MALFORMED_JSON');
  });
});

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const mixed = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`;
const list = (count: number) => `[${Array.from({ length: count }, () => '[ ]').join(' , ')}]`;
const members = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(',')}}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('the shape of a body', () => {
  it('nests at most 32 deep', async () => {
    for (const body of [nested(32), mixed(32), `{"a":"${'['.repeat(500)}"}`, '"\\"[[[[["']) {
      expect((await send(body)).status).toBe(200);
    }
    for (const body of [nested(33), mixed(34), nested(40_000), '['.repeat(90_000)]) {
      expect((await send(body)).code).toBe('MALFORMED_JSON');
    }
    expect(reached).toContain('body_depth');
  });

  it('holds at most 10,000 values', async () => {
    for (const make of [list, members]) {
      expect((await send(make(10_000))).status).toBe(200);
      expect((await send(make(10_001))).code).toBe('MALFORMED_JSON');
    }
    expect((await send(`"${','.repeat(50_000)}"`)).status).toBe(200);
    expect(reached).toContain('body_values');
  });
});

describe('the time and memory of bodies', () => {
  it('closes the connection of one that does not arrive in time', async () => {
    const slow = await begin('192.0.2.1', '{');
    await eventually(() => slow.isClosed);
    expect(slow.received).toMatch(/^HTTP\/1\.1 408 /u);
    expect(slow.received).toContain('"BODY_TIMEOUT"');
    expect(reached).toContain('body_time');
  });

  it('refuses what would not fit beside those that are being read, before it comes', async () => {
    const holders = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
    const held = await Promise.all(holders.map((address) => begin(address, 'x'.repeat(80_000))));
    const late = await eventually(async () => {
      const answer = await send('x'.repeat(70_000), { 'x-forwarded-for': '192.0.2.4' }, '/v1/raw');
      if (answer.status === 200) throw new Error('there was room for it');
      return answer;
    });
    expect([late.status, late.code]).toEqual([503, 'BUSY']);
    expect(late.headers['retry-after']).toMatch(/^\d+$/u);
    expect(reached).toContain('body_memory');
    for (const { socket } of held) socket.destroy();
    await eventually(async () => {
      const answer = await send('x'.repeat(60_000), { 'x-forwarded-for': '192.0.2.4' }, '/v1/raw');
      return answer.status === 200;
    });
  });

  it('lets one address hold half of it', async () => {
    const [first, second] = [
      await begin('192.0.2.1', 'x'.repeat(80_000)),
      await begin('192.0.2.1', 'x'.repeat(80_000)),
    ];
    await eventually(() => [first, second].some(({ received }) => received.includes(' 503 ')));
    const other = await send('x'.repeat(40_000), { 'x-forwarded-for': '192.0.2.9' }, '/v1/raw');
    expect(other.status).toBe(200);
  });

  it('reads a body in parts of one byte exactly', async () => {
    const state = await begin('192.0.2.4', '', 4);
    for (const byte of 'gold') {
      state.socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => expect(state.received).toContain(Buffer.from('gold').toString('hex')));
  });

  it('refuses what is too large by what it declares, and by what comes', async () => {
    const declared = await begin('192.0.2.5', '', 300_000);
    await eventually(() => declared.received.startsWith('HTTP/1.1 413'));
    const chunked = { 'transfer-encoding': 'chunked' };
    const answer = await send(JSON.stringify('x'.repeat(2000)), chunked, '/v1/things');
    expect([answer.status, answer.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(reached).toContain('body_size');
  });

  it('does not go on reading a body that was refused', async () => {
    const refused = await begin('192.0.2.6', 'x', 300_000);
    await eventually(() => refused.received.startsWith('HTTP/1.1 413'));
    await eventually(() => expect(refused.isClosed).toBe(true));
  });
});

describe('refused webhooks', () => {
  it('are counted by address, and refused before their body from the limit on', async () => {
    const refused = async (address: string) =>
      (await send('no', from(address), '/v1/signed')).status;
    for (let count = 0; count < 3; count += 1) expect(await refused('192.0.2.7')).toBe(401);
    const held = await begin('192.0.2.7', '', 90_000, '/v1/signed');
    await eventually(() => held.received.startsWith('HTTP/1.1 429'));
    expect(held.received).toMatch(/retry-after: \d/iu);
    expect(await refused('192.0.2.8')).toBe(401);
    expect((await send('signed', from('192.0.2.8'), '/v1/signed')).status).toBe(200);
    expect(reached).toContain('refused_webhooks');
  });

  it('are counted by the address alone, whatever port a proxy names with it', async () => {
    const statuses: unknown[] = [];
    for (const port of [5001, 5002, 5003, 5004]) {
      const from = { 'x-forwarded-for': `192.0.2.11:${port}` };
      statuses.push((await send('no', from, '/v1/signed')).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
    const other = { 'x-forwarded-for': '192.0.2.12:5001' };
    expect((await send('no', other, '/v1/signed')).status).toBe(401);
  });

  it('never counts those that are signed', async () => {
    for (let count = 0; count < 10; count += 1) {
      expect((await send('signed', from('192.0.2.10'), '/v1/signed')).status).toBe(200);
    }
  });
});
