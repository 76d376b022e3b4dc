import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readStackOptions } from '../stack/stack-options.ts';

const repository = resolve(import.meta.dirname, '..', '..', '..');
const chart = join(repository, 'charts', 'digital-gold');

/** The stack that `make observe` observes, and the addresses on which it listens. */
export interface ObserveOptions {
  /** The program that `make tools` builds. */
  readonly program: string;
  readonly rulesFile: string;
  readonly dashboardsFolder: string;
  readonly runbooksFolder: string;
  /** The folder of Prometheus's own files. */
  readonly folder: string;
  /** Hosts and ports that Prometheus scrapes. */
  readonly targets: readonly string[];
  readonly prometheusPort: number;
  readonly pagePort: number;
  readonly tracesPort: number;
}

const endpointsSchema = z.object({ internal: z.record(z.string(), z.url()) });

const portOf = (name: string, fallback: number): number => {
  const text = process.env[name] ?? '';
  if (!/^\d{0,5}$/u.test(text)) throw new Error(`${name} must be a port`);
  return text === '' ? fallback : Number(text);
};

/**
 * Reads the options from the environment and from the files of the running stack.
 * @throws Error of one line that says what is missing.
 */
export const readObserveOptions = (): ObserveOptions => {
  const { paths, tracesPort } = readStackOptions(repository, process.env);
  if (!existsSync(paths.endpointsFile)) throw new Error('no stack runs: "make up" starts it');
  const { internal } = endpointsSchema.parse(JSON.parse(readFileSync(paths.endpointsFile, 'utf8')));
  return {
    program: join(repository, '.tools', 'bin', 'prometheus'),
    rulesFile: join(chart, 'alerts', 'rules.yaml'),
    dashboardsFolder: join(chart, 'dashboards'),
    runbooksFolder: join('backend', 'docs', 'runbooks'),
    folder: join(paths.home, 'prometheus'),
    targets: Object.values(internal).map((url) => new URL(url).host),
    prometheusPort: portOf('PROMETHEUS_PORT', 4190),
    pagePort: portOf('OBSERVE_PORT', 4191),
    tracesPort,
  };
};
