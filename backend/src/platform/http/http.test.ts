import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { createRandom } from '../ids/random.ts';
import { createApi } from './index.ts';
import { guard, routes } from './testing/things-api.ts';

let limited = false;
const rateLimit: RequestHandler = (_req, _res, next) => {
  if (limited) next(new AppError('RATE_LIMITED', { retryAfterSeconds: 12.4 }));
  else next();
};
const pass: RequestHandler = (_req, _res, next) => next();
const logged: unknown[] = [];

let server: Server;
let base = '';

beforeAll(async () => {
  const app = createApi({
    info: { title: 'Things', version: '1.0.0', description: 'For the test', prefix: '/v1' },
    routes,
    guard,
    rateLimit,
    requestLog: pass,
    metrics: (_req, res) => {
      res.send('up 1');
    },
    logger: { error: (fields) => logged.push(fields) },
    random: createRandom(),
    trustProxyHops: 1,
    corsAllowedOrigins: ['https://app.example.test'],
    internalHostnames: ['localhost', '127.0.0.1'],
    checkReplies: true,
    docs: true,
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  base = `http://127.0.0.1:${port}`;
});

afterAll(() => {
  server.close();
});

const send = async (method: string, path: string, body?: string, headers = {}) => {
  const response = await fetch(base + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const json: unknown = text.startsWith('{') || text === 'null' ? JSON.parse(text) : text;
  return { status: response.status, json, headers: response.headers };
};
const asAnn = { authorization: 'Bearer ann' };
const error = (code: string, more = {}) => ({
  error: expect.objectContaining({ code, ...more }),
});

/** The status of `/metrics` under this host name. */
const statusFor = (host: string, more: Readonly<Record<string, string>> = {}) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${base}/metrics`, { headers: { host, ...more } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

describe('the path that load balancers ask for', () => {
  it('answers 200, whoever asks and however often', async () => {
    limited = true;
    try {
      const { status, json } = await send('GET', '/');
      expect([status, json]).toEqual([200, { status: 'ok' }]);
      expect((await send('HEAD', '/')).status).toBe(200);
      expect((await send('POST', '/', '{}')).json).toEqual(error('METHOD_NOT_ALLOWED'));
    } finally {
      limited = false;
    }
  });
});

/** Sends bytes without the content type that `fetch` would add to them. */
const sendBytes = (path: string, body: Buffer, headers: Readonly<Record<string, string>>) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(base + path, { method: 'POST', headers: { ...asAnn, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(body);
  });

describe('a declared route', () => {
  it('answers what its handler makes of the validated input', async () => {
    const body = JSON.stringify({ name: 'ring', unit: 'INR', unknown: true });
    const { status, json } = await send('POST', '/v1/things', body, asAnn);
    expect({ status, json }).toEqual({
      status: 201,
      json: { name: 'ring', unit: 'INR', by: 'ann' },
    });
  });

  it('lists every offending field, the first of them in `field`', async () => {
    const body = JSON.stringify({ name: 'far too long a name', unit: 'KG', nested: { count: 0 } });
    const { status, json } = await send('POST', '/v1/things', body, asAnn);
    expect(status).toBe(400);
    expect(json).toEqual(error('VALIDATION_FAILED', { field: 'name' }));
    expect(JSON.stringify(json)).toContain('"nested.count"');
    expect(JSON.stringify(json)).toContain('INR');
  });

  it.each(['[]', '"x"', '1', 'null', ''])('refuses the body %j', async (body) => {
    const { status, json } = await send('POST', '/v1/things', body, asAnn);
    expect([status, json]).toEqual([400, error('VALIDATION_FAILED')]);
  });

  it.each(['a\u0000b', '\ud83e', '\udd47 a'])(
    'refuses %j, which the database cannot store',
    async (name) => {
      const body = JSON.stringify({ name, unit: 'INR' });
      const { status, json } = await send('POST', '/v1/things', body, asAnn);
      expect([status, json]).toEqual([400, error('VALIDATION_FAILED', { field: 'name' })]);
    },
  );

  it('bears hostile nesting and prototype keys', async () => {
    const deep = `${'['.repeat(400)}${']'.repeat(400)}`;
    expect((await send('POST', '/v1/things', deep, asAnn)).status).toBe(400);
    const proto = '{"__proto__":{"name":"x"},"constructor":1}';
    expect((await send('POST', '/v1/things', proto, asAnn)).status).toBe(400);
  });

  it('names the place of a text that can not be stored', async () => {
    for (const [value, field] of [
      [{ a: [1, { b: 'x\0' }] }, 'a.1.b'],
      [{ a: { 'x\ud800': 1 } }, 'a'],
      [{ '\0': 1 }, 'body'],
    ] as const) {
      const { status, json } = await send('POST', '/v1/things', JSON.stringify(value), asAnn);
      expect({ status, json }).toEqual({
        status: 400,
        json: error('VALIDATION_FAILED', { field }),
      });
    }
  });

  it('refuses malformed JSON, other media types, and what is too large', async () => {
    const malformed = await send('POST', '/v1/things', '{"name":', asAnn);
    expect([malformed.status, malformed.json]).toEqual([400, error('MALFORMED_JSON')]);
    const form = { ...asAnn, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send('POST', '/v1/things', 'name=x', form)).status).toBe(415);
    const large = await send('POST', '/v1/things', JSON.stringify('x'.repeat(2000)), asAnn);
    expect([large.status, large.json]).toEqual([413, error('PAYLOAD_TOO_LARGE')]);
  });

  it.each([
    ['{', 400, 'MALFORMED_JSON', 'application/json'],
    ['a=b', 415, 'UNSUPPORTED_MEDIA_TYPE', 'text/plain'],
    [JSON.stringify('x'.repeat(5_000_000)), 413, 'PAYLOAD_TOO_LARGE', 'application/json'],
  ])('refuses %.20j where it asks for no body, too', async (body, status, code, type) => {
    const answer = await send('POST', '/v1/things/latest', body, { 'content-type': type });
    expect([answer.status, answer.json]).toEqual([status, error(code)]);
  });

  it('refuses a body that does not say what it is', async () => {
    const body = Buffer.from(JSON.stringify({ name: 'ring', unit: 'INR' }));
    expect(await sendBytes('/v1/things', body, {})).toBe(415);
    expect(await sendBytes('/v1/things', body, { 'content-type': '' })).toBe(415);
    expect(await sendBytes('/v1/things', body, { 'content-type': 'application/json' })).toBe(201);
  });

  it('refuses a page outside its bounds and a parameter given twice', async () => {
    expect((await send('GET', '/v1/things?page=2&limit=100')).json).toEqual({
      page: 2,
      limit: 100,
    });
    for (const query of [
      'page=0',
      'limit=101',
      'limit=-1',
      'page=1.5',
      'page=1&page=2',
      'page=x',
    ]) {
      expect((await send('GET', `/v1/things?${query}`)).json).toEqual(error('VALIDATION_FAILED'));
    }
  });

  it('treats a malformed id as a resource that does not exist', async () => {
    for (const id of ['1', 'x', '%00', '%ff', "' OR 1=1"]) {
      const { status, json } = await send('GET', `/v1/things/${id}`);
      expect([status, json]).toEqual([404, error('NOT_FOUND')]);
    }
  });

  it('reads an id in upper case as the one that is stored, in lower case', async () => {
    const id = '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01';
    const { status, json } = await send('GET', `/v1/things/${id.toUpperCase()}`);
    expect([status, json]).toEqual([200, { id }]);
  });

  it('hands the exact bytes to a route that asks for them', async () => {
    expect((await send('POST', '/v1/raw', '{ "a":1.0 }')).json).toEqual({
      hex: Buffer.from('{ "a":1.0 }').toString('hex'),
    });
  });
});

describe('the order of refusals', () => {
  it('is rate limit, credential, role, gate, body', async () => {
    expect((await send('POST', '/v1/things', '{')).json).toEqual(error('UNAUTHENTICATED'));
    expect((await send('GET', '/v1/leaky', undefined, asAnn)).json).toEqual(error('FORBIDDEN'));
    expect((await send('POST', '/v1/gated', '{')).json).toEqual(error('SELL_DISABLED'));
    expect((await send('POST', '/v1/gated', '{}')).json).toEqual(error('SELL_DISABLED'));
    expect((await send('POST', '/v1/gated', '{"name":"again"}')).json).toBeNull();
    limited = true;
    const refused = await send('POST', '/v1/things', '{');
    const exempt = await send('POST', '/v1/raw', 'x');
    const nowhere = await send('GET', '/v1/nowhere');
    limited = false;
    expect(refused.json).toEqual(error('RATE_LIMITED'));
    expect(refused.headers.get('retry-after')).toBe('13');
    expect(exempt.status).toBe(200);
    expect(nowhere.status).toBe(429);
  });
});

describe('the edges', () => {
  it('answers 404 for an unknown path and 405 with Allow for another verb', async () => {
    expect((await send('GET', '/v1/nowhere')).json).toEqual(error('NOT_FOUND'));
    const wrong = await send('DELETE', '/v1/things');
    expect([wrong.status, wrong.json]).toEqual([405, error('METHOD_NOT_ALLOWED')]);
    expect(wrong.headers.get('allow')).toBe('POST, GET, HEAD');
  });

  it('never takes a path of its own for the parameter of another', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const wrong = await send(method, '/v1/things/latest');
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await send('POST', '/v1/things/latest')).status).toBe(200);
  });

  it('answers OPTIONS as documented: a preflight with 204, anything else with 405', async () => {
    const preflight = await send('OPTIONS', '/v1/things', undefined, {
      origin: 'https://app.example.test',
      'access-control-request-method': 'POST',
    });
    expect(preflight.status).toBe(204);
    expect((await send('OPTIONS', '/v1/things')).status).toBe(405);
  });

  it('never shows what went wrong inside', async () => {
    const { status, json } = await send('GET', '/v1/leaky', undefined, {
      authorization: 'Bearer boss',
    });
    expect([status, json]).toEqual([500, error('INTERNAL')]);
    expect(JSON.stringify(json)).not.toContain('schema');
    expect(logged.length).toBeGreaterThan(0);
  });

  it('keeps a good request id and replaces a bad one', async () => {
    const kept = await send('GET', '/v1/things', undefined, { 'x-request-id': 'abc-1.2_3' });
    expect(kept.headers.get('x-request-id')).toBe('abc-1.2_3');
    const made = await send('GET', '/v1/nowhere', undefined, { 'x-request-id': 'a b' });
    expect(made.json).toEqual(
      error('NOT_FOUND', { requestId: expect.stringMatching(/^[\w-]{36}$/u) }),
    );
  });

  it('sends its security headers with every answer, and lets nobody keep it', async () => {
    const answers = [
      await send('GET', '/v1/things'),
      await send('GET', '/v1/nowhere'),
      await send('POST', '/v1/things', '{', asAnn),
      await send('GET', '/docs'),
    ];
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("script-src 'self'"),
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
      });
      expect(headers.has('x-powered-by')).toBe(false);
    }
  });

  it('answers JSON as an attachment, and the documentation as a page', async () => {
    const attachment = 'attachment; filename="api.json"';
    for (const path of ['/v1/things', '/v1/nowhere', '/docs/openapi.json']) {
      const { headers } = await send('GET', path);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('content-disposition')).toBe(attachment);
    }
    const page = await send('GET', '/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.has('content-disposition')).toBe(false);
  });

  it('allows listed origins only', async () => {
    const listed = { origin: 'https://app.example.test' };
    const other = { origin: 'https://evil.example.test' };
    const header = 'access-control-allow-origin';
    expect((await send('GET', '/v1/things', undefined, listed)).headers.get(header)).toBe(
      listed.origin,
    );
    expect((await send('GET', '/v1/things', undefined, other)).headers.get(header)).toBeNull();
    const none = { origin: 'null' };
    expect((await send('GET', '/v1/things', undefined, none)).headers.get(header)).toBeNull();
  });

  it('lets pages of listed origins read the headers of a file', async () => {
    const listed = { origin: 'https://app.example.test' };
    const { headers } = await send('GET', '/v1/things', undefined, listed);
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(',');
    expect(exposed).toEqual(expect.arrayContaining(['x-total-rows', 'content-disposition']));
  });

  it('shows metrics to internal host names alone', async () => {
    expect(await statusFor('LOCALHOST.:4000')).toBe(200);
    expect(await statusFor('api.example.test')).toBe(404);
    expect(await statusFor('localhost.evil.test')).toBe(404);
    // A proxy that chose the site by the request line hands on whatever `Host` the client sent.
    expect(await statusFor('localhost', { 'x-forwarded-host': 'localhost' })).toBe(404);
  });
});

describe('the documentation', () => {
  it('is made of the declared routes and needs no other host', async () => {
    const { json } = await send('GET', '/docs/openapi.json');
    expect(json).toMatchObject({
      openapi: '3.1.0',
      paths: {
        '/v1/things/{id}': { get: {} },
        '/v1/things': { post: { security: [{ bearer: [] }] } },
      },
    });
    const page = await send('GET', '/docs');
    expect(page.status).toBe(200);
    const named = [...String(page.json).matchAll(/(?:src|href)="([^"]+)"/gu)].map(([, url]) => url);
    expect(named.length).toBeGreaterThan(3);
    for (const file of named) {
      expect(file).toMatch(/^\/docs\//u);
      expect((await send('GET', String(file))).status).toBe(200);
    }
  });

  it('runs nothing but its own files, and reaches no other host', async () => {
    const page = await send('GET', '/docs');
    const policy = String(page.headers.get('content-security-policy'));
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:/u);
    expect(String(page.json)).not.toMatch(/<style|style=|<script>| on[a-z]+=/u);
    expect((await send('GET', '/docs/start.js')).json).toContain("url: '/docs/openapi.json'");
  });

  it('counts each of its files, and lets browsers keep them', async () => {
    const file = '/docs/swagger-ui.css';
    const first = await send('GET', file);
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, max-age=0']);
    expect(first.headers.has('etag')).toBe(true);
    limited = true;
    const refused = await send('GET', file);
    limited = false;
    expect(refused.json).toEqual(error('RATE_LIMITED'));
  });

  it('has no more below it than its files, and takes no other verb', async () => {
    expect((await send('GET', '/docs/whatever')).json).toEqual(error('NOT_FOUND'));
    for (const path of ['/docs', '/docs/openapi.json', '/metrics']) {
      const { status, headers } = await send('POST', path);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });
});
