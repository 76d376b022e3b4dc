import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessEnvironment } from '../dev/stack/environment.ts';
import { measureStarts, type Side } from './price-current.ts';
import { keepPriceLive } from './support/keep-price-live.ts';
import { openStack, type BenchStack } from './support/open-stack.ts';
import { benchPort } from './support/ports.ts';
import { productionEnvironment } from './support/production-environment.ts';
import type { Report } from './support/report.ts';
import { median, medianRatio } from './support/statistics.ts';

const route = '/v1/price/current';
const tracing = join(import.meta.dirname, '..', 'dist', 'otel', 'main.js');

/** Accepts all exports, as a collector does, and discards them. */
const startCollector = async () => {
  const server = createServer((req, res) => {
    req.resume().on('end', () => res.setHeader('content-type', 'application/json').end('{}'));
  });
  const port = await benchPort();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
};

const traced =
  (collector: string, share: string) =>
  (own: ProcessEnvironment): ProcessEnvironment => ({
    ...productionEnvironment(own),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: share,
  });

const startSides = async (stack: BenchStack, collector: string): Promise<Side[]> => {
  const nodeOptions = ['--import', pathToFileURL(tracing).href];
  const plain = await stack.start('customer', { change: productionEnvironment });
  const some = await stack.start('customer', { change: traced(collector, '0.01'), nodeOptions });
  const all = await stack.start('customer', { change: traced(collector, '1'), nodeOptions });
  return [
    { name: 'not traced', ...plain },
    { name: '1 in 100', ...some },
    { name: 'each', ...all },
  ];
};

/** Measures the live price with and without traces. */
export const traces = async (): Promise<Report> => {
  const stack = await openStack();
  const stopFeeding = await keepPriceLive(stack.addresses.databaseUrl);
  const collector = await startCollector();
  try {
    const results = await measureStarts(route, () => startSides(stack, collector.url));
    const of = (name: string, figure: 'requestsPerSecond' | 'p99Ms' | 'cpuUsPerRequest') =>
      (results.get(name) ?? []).map((result) => result[figure]);
    const rows = [...results.keys()].map((name) => [
      name,
      median(of(name, 'requestsPerSecond')),
      medianRatio(of(name, 'requestsPerSecond'), of('not traced', 'requestsPerSecond')),
      median(of(name, 'p99Ms')),
      median(of(name, 'cpuUsPerRequest')),
      medianRatio(of(name, 'cpuUsPerRequest'), of('not traced', 'cpuUsPerRequest')),
    ]);
    return {
      how: ['As price-current, with the same process traced to a collector that keeps nothing.'],
      tables: [
        {
          title: 'medians; the aim is 0.97',
          columns: ['', 'requests/s', 'of not traced', 'p99 ms', 'CPU us', 'of not traced'],
          rows,
        },
      ],
      samples: Object.fromEntries(results),
    };
  } finally {
    collector.close();
    await stopFeeding();
    await stack.stop();
  }
};
