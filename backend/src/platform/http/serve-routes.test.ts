import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { RequestHandler } from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort } from '#test/support/free-port.ts';
import { AppError } from '../errors/app-error.ts';
import { createRandom } from '../ids/random.ts';
import {
  createApi,
  currentRequestId,
  defineRoute,
  ok,
  PUBLIC,
  shared,
  signedIn,
  type Guard,
  type Reply,
} from './index.ts';

let server: Server;
let base = '';
let limited = false;
let atHand: (() => Reply | undefined) | undefined;
let handled = 0;
const seen: (string | undefined)[] = [];

const nothing: RequestHandler = (_req, _res, next) => next();
const rateLimit: RequestHandler = (_req, _res, next) => {
  if (limited) next(new AppError('RATE_LIMITED', { retryAfterSeconds: 1 }));
  else next();
};
const guard: Guard = {
  schemeName: 'bearer',
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  admit: async () => {
    seen.push(currentRequestId());
    return {};
  },
};

const named = z.object({ name: z.string() });
const routes = [
  defineRoute({
    method: 'GET',
    path: '/hot',
    summary: 'At hand, or made',
    tags: [],
    access: PUBLIC,
    responses: { 200: named },
    atHand: () => atHand?.(),
    handler: async () => {
      handled += 1;
      return ok({ name: 'made' });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/things/:name',
    summary: 'Waits',
    tags: [],
    access: signedIn<object>(),
    params: named,
    body: z.object({}),
    responses: { 200: named },
    handler: async ({ params }) => {
      seen.push(currentRequestId());
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(currentRequestId());
      return ok(params);
    },
  }),
];

beforeAll(async () => {
  const app = createApi({
    info: { title: 'Hot', version: '1.0.0', description: 'For the test', prefix: '/v1' },
    routes,
    guard,
    rateLimit,
    requestLog: nothing,
    metrics: nothing,
    logger: { error: () => undefined },
    random: createRandom(),
    trustProxyHops: 1,
    corsAllowedOrigins: [],
    internalHostnames: [],
    checkReplies: true,
    docs: false,
  });
  const port = await freePort();
  server = createServer(app).listen(port, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${port}/v1`;
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  atHand = undefined;
  limited = false;
  handled = 0;
  seen.length = 0;
});

const hot = async (method = 'GET') => {
  const response = await fetch(`${base}/hot`, { method });
  return { response, text: await response.text() };
};

describe('a reply at hand', () => {
  it('is sent as it is written, and the handler is not run', async () => {
    const reply = shared({ name: 'gold, 24 carat' });
    atHand = () => reply;
    const { response, text } = await hot();
    expect(text).toBe('{"name":"gold, 24 carat"}');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('content-length')).toBe('25');
    expect(handled).toBe(0);
  });

  it('keeps its bytes where they are not all ASCII', async () => {
    atHand = () => shared({ name: 'सोना é' });
    const { response, text } = await hot();
    expect(JSON.parse(text)).toEqual({ name: 'सोना é' });
    expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(text));
  });

  it('has no body for HEAD, but its length', async () => {
    atHand = () => shared({ name: 'a' });
    const { response, text } = await hot('HEAD');
    expect([response.status, text]).toEqual([200, '']);
    expect(response.headers.get('content-length')).toBe('12');
  });

  it('leaves the request to the handler when there is none', async () => {
    expect((await hot()).text).toBe('{"name":"made"}');
    expect(handled).toBe(1);
  });

  it('is asked for only within the limit, and what it throws is answered', async () => {
    atHand = () => {
      throw new AppError('PRICE_UNAVAILABLE');
    };
    const { response, text } = await hot();
    expect(response.status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'PRICE_UNAVAILABLE', requestId: response.headers.get('x-request-id') },
    });
    limited = true;
    expect((await hot()).response.status).toBe(429);
  });
});

describe('the request id', () => {
  it('follows a request through whatever it waits for', async () => {
    const headers = { 'x-request-id': 'req-7', 'content-type': 'application/json' };
    const response = await fetch(`${base}/things/a`, { method: 'POST', body: '{}', headers });
    expect([response.status, await response.json()]).toEqual([200, { name: 'a' }]);
    expect(seen).toEqual(['req-7', 'req-7', 'req-7']);
  });
});
