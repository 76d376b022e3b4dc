import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { explain } from '../stack/explain.ts';
import { readStackOptions } from '../stack/stack-options.ts';

/**
 * Runs a Prometheus beside the running stack until it is interrupted. It scrapes every process and
 * evaluates the chart's alerts, so that a dashboard or an alert is tried before it is deployed.
 */

const repository = resolve(import.meta.dirname, '..', '..', '..');
const program = join(repository, '.tools', 'bin', 'prometheus');
const rulesFile = join(repository, 'charts', 'digital-gold', 'alerts', 'rules.yaml');

/** The worker's own limit, unless it is given another one. */
const standstillSeconds = '60';

const endpointsSchema = z.object({ internal: z.record(z.string(), z.url()) });

const configurationFor = (targets: readonly string[]): string => `global:
  scrape_interval: 5s
  evaluation_interval: 5s
rule_files: [rules.yaml]
scrape_configs:
  - job_name: digital-gold
    static_configs:
      - targets: ${JSON.stringify(targets)}
        labels: { namespace: local }
`;

/** Writes Prometheus's folder and returns it. */
const prepare = (home: string, endpointsFile: string): string => {
  if (!existsSync(endpointsFile)) throw new Error('no stack runs: "make up" starts it');
  const { internal } = endpointsSchema.parse(JSON.parse(readFileSync(endpointsFile, 'utf8')));
  const folder = join(home, 'prometheus');
  mkdirSync(folder, { recursive: true });
  const targets = Object.values(internal).map((url) => new URL(url).host);
  writeFileSync(join(folder, 'prometheus.yml'), configurationFor(targets));
  const rules = readFileSync(rulesFile, 'utf8');
  writeFileSync(
    join(folder, 'rules.yaml'),
    rules.replaceAll('STANDSTILL_SECONDS', standstillSeconds),
  );
  return folder;
};

try {
  const { PROMETHEUS_PORT: port = '4190' } = process.env;
  if (!/^\d{1,5}$/u.test(port)) throw new Error('PROMETHEUS_PORT must be a port');
  const { paths } = readStackOptions(repository, process.env);
  const folder = prepare(paths.home, paths.endpointsFile);
  const url = `http://127.0.0.1:${port}`;
  process.stdout.write(
    `Prometheus  ${url}/alerts, ${url}/query\n` +
      'Dashboards  charts/digital-gold/dashboards: load them into a Grafana with this Prometheus\n' +
      'Traces      make up STACK_TRACES=http://127.0.0.1:4318 sends them to a receiver of OTLP\n' +
      'Ctrl+C ends it.\n',
  );
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: 'inherit' },
  );
  // The terminal interrupts both. This one waits for the other's end.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill());
  child.on('exit', (code) => (process.exitCode = code ?? 1));
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
