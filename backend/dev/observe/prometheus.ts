import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ObserveOptions } from './options.ts';

/** The default of the worker's JOB_STANDSTILL_SECONDS. */
const standstillSeconds = '60';

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

/** Starts a Prometheus that scrapes the stack and evaluates the chart's alerts. */
export const startPrometheus = (options: ObserveOptions): ChildProcess => {
  const { folder, targets, rulesFile, program, prometheusPort } = options;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'prometheus.yml'), configurationFor(targets));
  const rules = readFileSync(rulesFile, 'utf8');
  const own = rules.replaceAll('STANDSTILL_SECONDS', standstillSeconds);
  writeFileSync(join(folder, 'rules.yaml'), own);
  return spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
      '--log.level=warn',
    ],
    { stdio: 'inherit' },
  );
};

const seriesSchema = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
});

const rulesSchema = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            name: z.string(),
            state: z.string(),
            query: z.string(),
            annotations: z.record(z.string(), z.string()),
            alerts: z.array(z.object({ labels: z.record(z.string(), z.string()) })),
          }),
        ),
      }),
    ),
  }),
});

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** One value for each requested time, or null if the series has none at that time. */
  readonly values: readonly (number | null)[];
}

const valueOf = (text: string | undefined): number | null => {
  const value = Number(text ?? 'NaN');
  return Number.isFinite(value) ? value : null;
};

/** Creates the queries that the dashboard and alert pages send to Prometheus. */
export const createQueries = (url: string) => ({
  /** Evaluates a query at evenly spaced Unix times in seconds, and returns its series. */
  async range(query: string, moments: readonly number[]): Promise<Series[]> {
    const [start = 0, end = 0] = [moments[0], moments.at(-1)];
    const step = Math.max(1, (end - start) / Math.max(1, moments.length - 1));
    const asked = new URLSearchParams({
      query,
      start: String(start),
      end: String(end),
      step: String(step),
    });
    const response = await fetch(`${url}/api/v1/query_range?${asked.toString()}`);
    const { data } = seriesSchema.parse(await response.json());
    return data.result.map(({ metric, values }) => {
      const at = new Map(values.map(([time, value]) => [Math.round(time), value]));
      return { labels: metric, values: moments.map((moment) => valueOf(at.get(moment))) };
    });
  },
  /** Returns the alert rules with their states. */
  async alerts() {
    const response = await fetch(`${url}/api/v1/rules?type=alert`);
    return rulesSchema.parse(await response.json()).data.groups.flatMap(({ rules }) => rules);
  },
});

export type Queries = ReturnType<typeof createQueries>;
