import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '#test/support/listen.ts';
import { createPages, createReceiver } from './serve-pages.ts';
import { createTraces } from './traces.ts';

const dashboardsFolder = join(import.meta.dirname, '../../../charts/digital-gold/dashboards');

const open = async () => {
  const traces = createTraces(2);
  const options = { dashboardsFolder, runbooksFolder: 'runbooks', prometheusPort: 1, pagePort: 1 };
  const servers = [createPages(options, traces), createReceiver(traces)].map((app) =>
    createServer(app),
  );
  onTestFinished(() => {
    for (const server of servers) server.close();
  });
  const [page = '', receiver = ''] = await Promise.all(servers.map((server) => listen(server)));
  const text = async (path: string): Promise<string> => (await fetch(page + path)).text();
  const send = async (...spans: readonly object[]): Promise<void> => {
    const attributes = [{ key: 'service.name', value: { stringValue: 'digital-gold-customer' } }];
    const body = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    expect((await fetch(`${receiver}/v1/traces`, sent)).status).toBe(200);
  };
  return { page, text, send };
};

const span = (traceId: string, spanId: string, name: string, more: object = {}) => ({
  traceId,
  spanId,
  name,
  kind: 2,
  startTimeUnixNano: '1764200000000000000',
  endTimeUnixNano: '1764200000250000000',
  attributes: [{ key: 'http.route', value: { stringValue: '/<b>' } }],
  status: { code: 0 },
  ...more,
});

it('the page of observe shows each trace, its parts below those that they are of', async () => {
  const { text, send } = await open();
  expect(await text('/traces')).toContain('No traces yet');
  const call = {
    parentSpanId: 's1',
    startTimeUnixNano: '1764200000100000000',
    status: { code: 2 },
  };
  await send(span('t1', 's2', 'safegold buy-verify', call));
  await send(span('t1', 's1', 'POST /v1/gold/buy'), span('t2', 's9', 'GET /v1/config'));
  expect(await text('/traces')).toMatch(/GET \/v1\/config.*POST \/v1\/gold\/buy/su);
  expect(await text('/traces?part=buy')).not.toContain('GET /v1/config');
  const trace = await text('/traces/t1');
  expect(trace).toMatch(/POST \/v1\/gold\/buy.*class="failed".*safegold buy-verify/su);
  expect(trace).toContain('2 spans in 1 processes');
  expect(trace).toContain('250.0 ms');
  expect(trace).toContain('/&lt;b&gt;');
  const statement = [{ key: 'db.system.name', value: { stringValue: 'postgresql' } }];
  await send(span('t1', 's3', 'pg.query:INSERT', { parentSpanId: 's1', attributes: statement }));
  expect(await text('/traces/t1')).toContain('pg.query:INSERT');
  expect(await text('/traces/t1?short')).not.toContain('pg.query:INSERT');
  await send(span('t2', 's9', 'GET /v1/config'), span('t3', 's1', 'later'));
  expect(await text('/traces/t1')).toContain('Trace not found');
});

it('the page of observe has a page for each dashboard of the chart, and none for another host', async () => {
  const { page, text } = await open();
  const list = await text('/');
  for (const name of ['business', 'jobs', 'money', 'price-feed', 'service']) {
    expect(list).toContain(`href="/dashboards/${name}"`);
    expect(await text(`/dashboards/${name}`)).toContain(`/panels/${name}/0?minutes=15`);
  }
  expect(await text('/uplot.js')).toContain('uPlot');
  expect((await fetch(`${page}/dashboards/none`)).status).toBe(404);
  const elsewhere = request(page, { headers: { host: 'elsewhere.example' } }).end();
  const [answer] = await once(elsewhere, 'response');
  expect(answer).toMatchObject({ statusCode: 403 });
  answer.resume();
});
