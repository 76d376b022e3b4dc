import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Express } from 'express';
import { explain } from '../stack/explain.ts';
import { readObserveOptions } from './options.ts';
import { startPrometheus } from './prometheus.ts';
import { createPages, createReceiver } from './serve-pages.ts';
import { createTraces } from './traces.ts';

/**
 * Runs beside the running stack, until it is interrupted: a Prometheus that scrapes every process
 * and evaluates the chart's alerts, a receiver of traces, and pages that show the dashboards, the
 * alerts and the traces. So each of them can be tried before it is deployed.
 */

const listen = async (app: Express, port: number) => {
  const server = createServer(app).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

try {
  const options = readObserveOptions();
  const { pagePort, prometheusPort, tracesPort } = options;
  const traces = createTraces();
  const servers = [
    await listen(createPages(options, traces), pagePort),
    await listen(createReceiver(traces), tracesPort),
  ];
  const page = `http://127.0.0.1:${pagePort}`;
  process.stdout.write(
    `Dashboards  ${page}/\n` +
      `Alerts      ${page}/alerts\n` +
      `Traces      ${page}/traces, of a stack that "make up STACK_TRACES=1" has started\n` +
      `Prometheus  http://127.0.0.1:${prometheusPort}, for queries and as Grafana's data source\n` +
      'Ctrl+C ends it.\n',
  );
  const prometheus = startPrometheus(options);
  // The terminal interrupts both. This one waits for the other's end.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => prometheus.kill());
  prometheus.on('error', (error) => process.stderr.write(`${explain(error)}\n`));
  prometheus.on('close', (code) => {
    process.exitCode = code ?? 1;
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
