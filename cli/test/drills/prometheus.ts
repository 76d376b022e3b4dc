import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { eventually } from '../../../backend/test/support/eventually.ts';
import { freePort } from '../../../backend/test/support/free-port.ts';
import type { StartedProcess } from '../../../backend/test/support/start-process.ts';
import { repository } from '../support/stack-home.ts';

const program = join(repository, '.tools', 'bin', 'prometheus');
const rulesFile = join(repository, 'charts', 'digital-gold', 'alerts', 'rules.yaml');

/** The time after which jobs count as stuck, in the drills' worker and in the rule. */
export const standstillSeconds = 3;

/** Ranges and periods of the rules, and the shorter values of a drill. Thresholds stay. */
const scaled: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^( +for:) .*$/gmu, '$1 2s'],
  [/:30s\]/gu, ':2s]'],
  [/(\[|offset )5m/gu, '$130s'],
  [/(\[|offset )30m/gu, '$140s'],
  [/(\[|offset )1h/gu, '$145s'],
  [/(\[|offset )6h/gu, '$160s'],
  [/(\[|offset )1d/gu, '$190s'],
  [/STANDSTILL_SECONDS/gu, String(standstillSeconds)],
];

const scaledRules = (): string => {
  let text = readFileSync(rulesFile, 'utf8');
  for (const [pattern, by] of scaled) text = text.replace(pattern, by);
  return text;
};

const configuration = `global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files: [rules.yaml]
scrape_configs:
  - job_name: digital-gold
    file_sd_configs:
      - files: [targets.json]
        refresh_interval: 1s
`;

const alertsSchema = z.object({
  data: z.object({
    alerts: z.array(z.object({ labels: z.object({ alertname: z.string() }), state: z.string() })),
  }),
});

const vectorSchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

/** Starts a Prometheus that scrapes the processes and evaluates the chart's alerts. */
export const startPrometheus = async (processes: readonly StartedProcess[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'alert-drills-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'prometheus.yml'), configuration);
  writeFileSync(join(folder, 'rules.yaml'), scaledRules());
  let aimed = '';
  /** Names the processes that run by now, in one step, since Prometheus reads the file meanwhile. */
  const aim = (): void => {
    const served = processes.filter(({ app }) => app !== 'sandbox');
    const targets = [...new Set(served.map(({ internalUrl }) => new URL(internalUrl).host))];
    const groups = JSON.stringify([{ targets, labels: { namespace: 'drills' } }]);
    if (groups === aimed) return;
    aimed = groups;
    writeFileSync(join(folder, 'targets.new'), groups);
    renameSync(join(folder, 'targets.new'), join(folder, 'targets.json'));
  };
  aim();
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const firing = async (): Promise<string[]> => {
    aim();
    const response = await fetch(`${url}/api/v1/alerts`);
    const { data } = alertsSchema.parse(await response.json());
    const all = data.alerts.filter(({ state }) => state === 'firing');
    return [...new Set(all.map(({ labels }) => labels.alertname))];
  };
  /** Returns how many series a query has that are numbers. */
  const ask = async (query: string): Promise<number> => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = vectorSchema.parse(await response.json());
    return data.result.filter(({ value }) => value[1] !== 'NaN').length;
  };
  await eventually(async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    firing,
    ask,
    async stop() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;
