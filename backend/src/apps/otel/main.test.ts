import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { callTestServers } from '#test/support/call-test-servers.ts';
import { eventually } from '#test/support/eventually.ts';
import { startSpanReceiver, type Span } from '#test/support/span-receiver.ts';

// A process that compiles what it loads takes its time on a busy machine.
const patience = { timeoutMs: 150_000 };
vi.setConfig({ testTimeout: 400_000 });

const backend = join(import.meta.dirname, '..', '..', '..');
const tracing = join(backend, 'dist', 'otel', 'main.js');
const program = join(backend, 'test', 'fixtures', 'traced-process.ts');

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const startCollector = async () => {
  const collector = await startSpanReceiver();
  stops.push(collector.close);
  return collector;
};

/** Starts the traced server and returns its address. */
const startTraced = async (
  collectorUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> => {
  await callTestServers('POST', '/builds/otel');
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', tracing, program], {
    cwd: backend,
    env: {
      PATH: process.env['PATH'],
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stops.push(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  await eventually(() => said.endsWith('\n'), patience);
  return said.trim();
};

const keysOf = ({ attributes }: Span): string[] => attributes.map(({ key }) => key).toSorted();

const server = 2;
const client = 3;

it('the tracing records routes, and neither paths nor addresses nor what tells clients apart', async () => {
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
  // Of each of the two requests, and of the call that made the second.
  await eventually(() => collector.spans().length === 3, patience);
  const spans = collector.spans();
  const text = JSON.stringify(spans);
  for (const personal of [token, '203.0.113.', 'Asha-Phone']) expect(text).not.toContain(personal);
  const served = spans.filter(({ kind }) => kind === server);
  expect(served.map(keysOf)).toEqual(
    Array.from({ length: 2 }, () => [
      'http.request.method',
      'http.response.status_code',
      'http.route',
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

it('the tracing records what went wrong, and no number of a customer that it names', async () => {
  const collector = await startCollector();
  const url = await startTraced(collector.url);
  expect((await fetch(`${url}/failures/9812345678`)).status).toBe(500);
  await eventually(() => collector.spans().length === 1, patience);
  const text = JSON.stringify(collector.spans());
  expect(text).toContain('no customer has [phone]');
  expect(text).not.toContain('9812345678');
});

it('the tracing records what a sampled trace is a part of, and else what is drawn', async () => {
  const collector = await startCollector();
  const url = await startTraced(collector.url, { OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    expect((await fetch(url + path, { headers })).status).toBe(200);
  };
  const traceId = 'a'.repeat(32);
  const sampled = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` };
  for (const path of ['/at-hand', '/devices/x']) await ask(path);
  for (const path of ['/at-hand', '/devices/x']) await ask(path, sampled);
  await eventually(() => collector.spans().length === 4, patience);
  const spans = collector.spans();
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(spans.map(({ name }) => name)).toContain('GET /at-hand');
});
