import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { callTestServers } from '#test/support/call-test-servers.ts';
import { eventually } from '#test/support/eventually.ts';
import { runningTest } from '#test/support/running-test.ts';
import { startSpanReceiver, type Span } from '#test/support/span-receiver.ts';

const tracing = join(import.meta.dirname, '..', '..', 'dist', 'otel', 'main.js');

const it = runningTest({ worker: 'none', checked: 'at the end' });

/** The attributes that a span may have: none of them holds an id, an address or a value. */
const recorded = new Set([
  'collaborator',
  'db.namespace',
  'db.operation.name',
  'db.postgresql.idle.timeout.millis',
  'db.query.text',
  'db.system.name',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'network.protocol.version',
  'operation',
  'outcome',
  'server.address',
  'server.port',
  'url.scheme',
]);

const wholeBuy = [
  'POST /v1/gold/buy',
  'safegold buy-verify',
  'sandbox-gateway create-order',
  'apply payment',
  'job gold.allocate',
  'safegold buy-confirm',
];

it('the tracing shows one buy as one trace, through request, webhook, job and the provider', async ({
  system,
}) => {
  const receiver = await startSpanReceiver();
  onTestFinished(receiver.close);
  await callTestServers('POST', '/builds/otel');
  const withTraces = {
    NODE_OPTIONS: `--import ${pathToFileURL(tracing).href}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_NODE_RESOURCE_DETECTORS: 'none',
  };
  // The gateway's webhook goes to the first customer API, so that API is traced.
  await system.processes.find(({ app }) => app === 'customer')?.kill();
  const customer = await system.startCustomer(withTraces);
  const worker = await system.startWorker(withTraces);

  const buyer = await system.newCustomer();
  const { orderId, gatewayOrderId } = await buyer.buy();
  await system.sandbox.pay(gatewayOrderId);
  await buyer.becomes(orderId, 'ALLOCATED');

  const placed = (): Span | undefined =>
    receiver.spans().find(({ name }) => name === 'POST /v1/gold/buy');
  await eventually(() => {
    const traceId = placed()?.traceId;
    const spans = receiver.spans().filter((span) => span.traceId === traceId);
    const names = new Set(spans.map(({ name }) => name));
    expect(wholeBuy.filter((name) => !names.has(name))).toEqual([]);
  });

  const traceId = placed()?.traceId ?? '';
  const stored = await system.query<{ traceparent: string }>(
    'SELECT traceparent FROM payment_order WHERE gateway_order_id = $1',
    gatewayOrderId,
  );
  expect(stored[0]?.traceparent).toContain(`-${traceId}-`);
  const deliveries = await system.query<{ traceparent: string | null }>(
    'SELECT traceparent FROM webhook_event',
  );
  expect(deliveries.length).toBeGreaterThan(0);
  expect(deliveries.filter(({ traceparent }) => traceparent === null)).toEqual([]);

  for (const traced of [customer, worker]) {
    const lines = traced.log().split('\n');
    expect(lines.filter((line) => line.includes(`"traceId":"${traceId}"`))).not.toEqual([]);
    const ofRequests = lines.filter((line) => line.includes('"requestId"'));
    expect(ofRequests.filter((line) => !line.includes('"traceId":"'))).toEqual([]);
  }
  const spans = receiver.spans();
  const keys = spans.flatMap(({ attributes }) => attributes.map(({ key }) => key));
  expect([...new Set(keys)].filter((key) => !recorded.has(key)).toSorted()).toEqual([]);
  const everything = JSON.stringify(spans);
  for (const personal of [buyer.phone.slice(-10), buyer.userId, orderId, gatewayOrderId]) {
    expect(everything).not.toContain(personal);
  }
});
