import type { RequestListener } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { countLoad, describeLoad } from '../src/load/describe-load.ts';
import type { LoadReport, LoadTarget } from '../src/load/load.types.ts';
import { startLoad } from '../src/load/start-load.ts';
import { serve } from './serve.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Changes = Partial<LoadTarget>;

/** Loads a server until it has received at least `requests` requests. */
const loadUntil = async (requests: number, answer: RequestListener, changes: Changes = {}) => {
  let asked = 0;
  const server = await serve((req, res) => {
    asked += 1;
    answer(req, res);
  });
  closers.push(server.close);
  const target = { name: 'it', ...server.endpoint, path: '/x', everyMs: 5, connections: 'kept' };
  const load = startLoad([{ ...target, connections: 'kept', ...changes }]);
  await vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(requests), { timeout: 60_000 });
  const [report] = await load.stop();
  if (report === undefined) throw new Error('no report');
  return { report, asked: () => asked, connections: server.connections() };
};

it('tells of every request, and of none that failed', async () => {
  const hosts = new Set<string | undefined>();
  const { report, asked } = await loadUntil(20, (req, res) => {
    hosts.add(req.headers.host);
    res.end('ok');
  });
  expect(report.sent).toBe(asked());
  expect(report.failed).toBe(0);
  expect(report.slowestMs).toBeGreaterThanOrEqual(report.medianMs);
  expect([...hosts]).toEqual(['gold.example']);
});

it('uses its connections again, or opens one for each request', async () => {
  const kept = await loadUntil(20, (_req, res) => void res.end());
  expect(kept.connections).toBeLessThan(kept.asked());
  const fresh = await loadUntil(20, (_req, res) => void res.end(), { connections: 'new' });
  expect(fresh.connections).toBe(fresh.asked());
});

it('counts an answer other than 200 as failed', async () => {
  let count = 0;
  const { report } = await loadUntil(12, (_req, res) => {
    count += 1;
    res.writeHead(count % 3 === 0 ? 503 : 200).end();
  });
  expect(report.failed).toBe(Math.floor(report.sent / 3));
  expect([...report.reasons]).toEqual([['answered 503', report.failed]]);
});

it('counts a connection that is cut as failed, at the headers and in the body', async () => {
  let count = 0;
  const { report } = await loadUntil(10, (req, res) => {
    count += 1;
    if (count === 3) req.socket.destroy();
    else if (count === 6) {
      res.writeHead(200, { 'content-length': 10 });
      res.write('half');
      res.socket?.end();
    } else res.end();
  });
  expect(report.failed).toBe(2);
  expect(report.sent).toBe(count);
});

it('counts what cannot connect as failed', async () => {
  const target = {
    name: 'it',
    host: 'gold.example',
    address: '127.0.0.1',
    // Must not be the port of a closed server, since another process may have taken it.
    port: 1,
    path: '/',
    everyMs: 5,
    connections: 'new',
  } as const;
  const load = startLoad([target]);
  const begun = performance.now();
  await vi.waitUntil(() => performance.now() - begun > 100, { timeout: 5000 });
  const [report] = await load.stop();
  expect(report?.sent).toBeGreaterThan(0);
  expect(report?.failed).toBe(report?.sent);
  expect([...(report?.reasons.keys() ?? [])].join()).toContain('ECONNREFUSED');
});

it('sends bodies and headers', async () => {
  const bodies = new Set<string>();
  await loadUntil(
    3,
    (req, res) => {
      req.setEncoding('utf8').on('data', (text: string) => {
        bodies.add(`${req.method} ${String(req.headers['x-signature'])} ${text}`);
      });
      req.on('end', () => res.end());
    },
    { method: 'POST', body: '{"a":1}', headers: { 'x-signature': 'abc' } },
  );
  expect([...bodies]).toEqual(['POST abc {"a":1}']);
});

it('is told a line for each target and each way of failing', () => {
  const report: LoadReport = {
    name: 'customer',
    connections: 'kept',
    sent: 10,
    failed: 3,
    reasons: new Map([
      ['answered 502', 2],
      ['socket hang up', 1],
    ]),
    medianMs: 3.4,
    slowestMs: 120.2,
  };
  const lines = describeLoad([report, { ...report, failed: 0, reasons: new Map() }]);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(
    /^customer +kept connections: +10 sent, 3 failed, median 3 ms, slowest/u,
  );
  expect(lines.slice(1, 3)).toEqual(['    2 times: answered 502', '    1 times: socket hang up']);
  expect(countLoad([report, report])).toEqual({ sent: 20, failed: 6 });
});
