import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { callTestServers } from '#test/support/call-test-servers.ts';
import { eventually } from '#test/support/eventually.ts';

const backend = join(import.meta.dirname, '..', '..', '..');
const tracing = join(backend, 'dist', 'otel', 'main.js');
const program = join(backend, 'test', 'fixtures', 'traced-process.ts');

const spanSchema = z.object({
  name: z.string(),
  kind: z.int(),
  attributes: z.array(z.object({ key: z.string(), value: z.json() })),
  events: z.json(),
  status: z.json(),
});
type Span = z.infer<typeof spanSchema>;
const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({ scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })) }),
  ),
});

const spansOf = (body: string): Span[] =>
  exportSchema
    .parse(JSON.parse(body))
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Starts a collector that keeps every span it receives. */
const startCollector = async () => {
  const bodies: string[] = [];
  const server = http.createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    req.on('end', () => {
      bodies.push(body);
      res.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stops.push(() => server.close());
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    spans: () => bodies.flatMap(spansOf),
  };
};

/** Starts the traced server and returns its address. */
const startTraced = async (collectorUrl: string): Promise<string> => {
  await callTestServers('POST', '/builds/otel');
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', tracing, program], {
    cwd: backend,
    env: {
      PATH: process.env['PATH'],
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stops.push(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  await eventually(() => said.endsWith('\n'));
  return said.trim();
};

const keysOf = ({ attributes }: Span): string[] => attributes.map(({ key }) => key).toSorted();

const server = 2;
const client = 3;

it('records routes, and neither paths nor addresses nor what tells clients apart', async () => {
  const collector = await startCollector();
  const url = await startTraced(collector.url);
  const token = 'push-token-of-asha';
  const headers = {
    'x-forwarded-for': '203.0.113.7',
    forwarded: 'for=203.0.113.8',
    'user-agent': 'Asha-Phone/1',
  };
  const response = await fetch(`${url}/devices/${token}?phone=${token}`, { headers });
  expect([response.status, await response.text()]).toEqual([200, '{}']);
  // Of each of the two requests and its handler, and of the call that made the second.
  await eventually(() => collector.spans().length === 5);
  const spans = collector.spans();
  const text = JSON.stringify(spans);
  for (const personal of [token, '203.0.113.', 'Asha-Phone']) expect(text).not.toContain(personal);
  const served = spans.filter(({ kind }) => kind === server);
  expect(served.map(keysOf)).toEqual(
    Array.from({ length: 2 }, () => [
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'network.protocol.version',
      'server.address',
      'server.port',
      'url.scheme',
    ]),
  );
  expect(text).toContain('/devices/:token');
  expect(spans.filter(({ kind }) => kind === client).map(keysOf)).toEqual([
    [
      'http.request.method',
      'http.response.status_code',
      'network.peer.address',
      'network.peer.port',
      'network.protocol.version',
      'server.address',
      'server.port',
    ],
  ]);
});

it('records what went wrong, and no number of a customer that it names', async () => {
  const collector = await startCollector();
  const url = await startTraced(collector.url);
  expect((await fetch(`${url}/failures/9812345678`)).status).toBe(500);
  await eventually(() => collector.spans().length === 2);
  const text = JSON.stringify(collector.spans());
  expect(text).toContain('no customer has [phone]');
  expect(text).not.toContain('9812345678');
});
