import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { createAdminClient, createApiClient } from '../../src/index.ts';
import { makeUpPapers } from './made-up-papers.ts';

/*
 * Serves the page, passes /v1 on to the customer API, and replaces what the client does not
 * provide: the SMS, the desk that approves KYC, and the gateway's checkout. It is only for a local
 * stack.
 */

interface Endpoints {
  readonly customer: string;
  readonly admin: string;
  readonly sandbox: string;
  readonly admins: { readonly ADMIN: { readonly email: string; readonly password: string } };
}

const folder = import.meta.dirname;
const usual = resolve(folder, '..', '..', '..', '..', '.dev', 'endpoints.json');
const file = process.env['ENDPOINTS_FILE'] ?? usual;
const port = Number(process.env['PORT'] ?? '4080');
const endpoints = JSON.parse(readFileSync(file, 'utf8')) as Endpoints; // as `make up` writes it

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks);
};

const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'page.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
};

const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = 'GET', url = '/', headers } = request;
  const body = await readBody(request);
  const passed = ['authorization', 'content-type', 'if-none-match'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const answer = await fetch(endpoints.customer + url, {
    method,
    headers: Object.fromEntries(passed),
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  });
  response.statusCode = answer.status;
  for (const name of ['content-type', 'etag', 'cache-control', 'retry-after']) {
    const value = answer.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.end(Buffer.from(await answer.arrayBuffer()));
};

interface SandboxPaths {
  '/_control/sms': {
    get: {
      parameters: { query: { phone: string } };
      responses: { 200: { content: { 'application/json': { messages: { otp?: string }[] } } } };
    };
  };
  '/_control/payments/{id}': {
    post: {
      parameters: { path: { id: string } };
      requestBody: { content: { 'application/json': { outcome: 'captured' } } };
      responses: { 200: { content: { 'application/json': object } } };
    };
  };
}

const sandbox = createApiClient<SandboxPaths>({ baseUrl: endpoints.sandbox });

const approve = async (pan: string): Promise<object> => {
  const desk = createAdminClient({ baseUrl: endpoints.admin });
  const { body } = await desk.post('/v1/auth/login', { body: endpoints.admins.ADMIN });
  const operator = desk.with({ token: body.accessToken });
  const { body: queue } = await operator.get('/v1/kyc', { query: { limit: 100 } });
  const record = queue.items.find(({ panLast4 }) => panLast4 === pan.slice(-4));
  if (record === undefined) throw new Error('nothing was submitted');
  await operator.post('/v1/kyc/{id}/approve', { path: { id: record.id } });
  return { approved: record.id };
};

/** The replacements for other parties, by path. */
const stands: Readonly<Record<string, (body: Record<string, string>) => Promise<object>>> = {
  '/dev/where': async () => ({ customer: endpoints.customer }),
  '/dev/code': async ({ phone = '' }) => {
    const { body } = await sandbox.get('/_control/sms', { query: { phone } });
    return { otp: body.messages[0]?.otp ?? '' };
  },
  '/dev/papers': async () => makeUpPapers(),
  '/dev/approve': async ({ pan = '' }) => approve(pan),
  '/dev/pay': async ({ gatewayOrderId: id = '' }) => {
    await sandbox.post('/_control/payments/{id}', { path: { id }, body: { outcome: 'captured' } });
    return { paid: id };
  },
};

const page = readFileSync(join(folder, 'index.html'));
const script = await bundle();

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const stand = stands[path];
  if (path.startsWith('/v1/')) return passOn(request, response);
  if (stand !== undefined) {
    const body = JSON.parse((await readBody(request)).toString() || '{}') as Record<string, string>;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await stand(body)));
    return;
  }
  const isScript = path === '/page.js';
  response.statusCode = isScript || path === '/' ? 200 : 404;
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
  response.end(isScript ? script : page);
};

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.statusCode = 502;
    response.end(JSON.stringify({ problem: error instanceof Error ? error.message : 'unknown' }));
  });
}).listen(port, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
