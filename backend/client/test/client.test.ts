import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  ApiUnreachableError,
  createAdminClient,
  createCustomerClient,
  type CustomerClient,
} from '../src/index.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let baseUrl = '';
let seen: Seen[] = [];
let next: { status: number; headers?: Record<string, string>; text: string } | 'silence';

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method, url, headers } = request;
  seen.push({ method, url, headers, body: await readBody(request) });
  if (next === 'silence') return;
  response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers });
  response.end(next.text);
};

beforeAll(async () => {
  server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  baseUrl = `http://127.0.0.1:${port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  seen = [];
  next = { status: 200, text: '{}' };
});

const echoUrl = async (request: Request) => Response.json({ url: request.url });

const customer = (more: object = {}): CustomerClient =>
  createCustomerClient({ baseUrl, token: 'ann', clientAddress: '10.1.2.3', ...more });

describe('a call', () => {
  it('sends path, query, token and address, and gives the typed body', async () => {
    next = { status: 200, headers: { 'x-request-id': 'r1' }, text: '{"items":[],"total":3}' };
    const answer = await customer().get('/v1/gold/orders', { query: { page: 2, status: 'PAID' } });
    expect(answer).toMatchObject({ status: 200, body: { items: [], total: 3 } });
    expect(answer.headers.get('x-request-id')).toBe('r1');
    await customer().get('/v1/gold/orders/{id}', { path: { id: 'a/b' } });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/gold/orders?page=2&status=PAID',
      'GET /v1/gold/orders/a%2Fb',
    ]);
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer ann',
      'x-forwarded-for': '10.1.2.3',
    });
  });

  it('sends a body as JSON, and headers of its own', async () => {
    next = { status: 204, text: '' };
    const client = customer().with({ token: 'bob', headers: { 'x-a': '1' } });
    const body = { refreshToken: 'r' };
    const answer = await client.post('/v1/auth/logout', { body, headers: { 'x-b': '2' } });
    expect(answer).toMatchObject({ status: 204, body: undefined });
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer bob',
      'content-type': 'application/json',
      'x-a': '1',
      'x-b': '2',
    });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(body);
  });

  it('has no token where none is given', async () => {
    await createAdminClient({ baseUrl }).get('/v1/orders');
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('goes by another fetch where one is given', async () => {
    const { body } = await customer({ fetch: echoUrl }).get('/v1/users/me');
    expect(body).toEqual({ url: `${baseUrl}/v1/users/me` });
  });
});

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('what is no success', () => {
  it('is an ApiError with all that the envelope says', async () => {
    const error = {
      code: 'VALIDATION_FAILED',
      message: 'amount: is required',
      field: 'amount',
      details: [{ field: 'amount', message: 'is required' }],
      requestId: 'r2',
    };
    next = { status: 400, headers: { 'retry-after': '7' }, text: JSON.stringify({ error }) };
    const failure = await failureOf(customer().get('/v1/portfolio'));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ ...error, status: 400, retryAfterSeconds: 7 });
    expect(failure).toMatchObject({ call: 'GET /v1/portfolio' });
  });

  it.each([
    { status: 502, text: '<html>' },
    { status: 302, text: '', headers: { location: 'http://elsewhere.test/' } },
    { status: 200, text: '<html>' },
  ])('is an ApiError without a code when something else answered: %j', async (answer) => {
    next = answer;
    const failure = await failureOf(customer().get('/v1/portfolio'));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: answer.status, code: undefined });
  });

  it('is an ApiUnreachableError when nobody answers, or not in time', async () => {
    const nobody = customer({ baseUrl: 'http://127.0.0.1:1' });
    expect(await failureOf(nobody.get('/v1/portfolio'))).toBeInstanceOf(ApiUnreachableError);
    next = 'silence';
    const late = await failureOf(customer({ timeoutMs: 100 }).get('/v1/portfolio'));
    expect(late).toBeInstanceOf(ApiUnreachableError);
    expect(String(late)).toContain('timeout');
  });
});
