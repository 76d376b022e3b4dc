import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { usualCategories } from '../checks/check-action.ts';
import { summaryOf } from '../checks/render-checks.ts';
import { runChecks } from '../checks/run-checks.ts';
import { createKubeClient, releaseSelector, type KubeClient } from '../clients/kube.ts';
import { explainProcess } from '../configuration/explain-config.ts';
import type { Context, LocalContext } from '../contexts/context.ts';
import type { GlobalOptions } from '../global-options.ts';

/** The collected files of a bundle. */
export interface Collected {
  /** The texts of the files by name. */
  readonly files: Map<string, string>;
  /** The parts that could not be read, each with the reason. */
  readonly missing: string[];
}

export interface CollectOptions {
  /** The number of lines of each log. */
  readonly lines: number;
}

const asJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Adds a part, or the reason why it can't be read. A broken part must not stop the bundle. */
const add = async (
  deps: CliDeps,
  { files, missing }: Collected,
  name: string,
  make: () => unknown,
): Promise<void> => {
  try {
    const part = await make();
    files.set(name, typeof part === 'string' ? part : asJson(part));
  } catch (error) {
    deps.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof CliError) && !(error instanceof Error)) throw error;
    missing.push(`${name}: ${reason}`);
  }
};

/** The maximum size of a log, of which only the end is collected. */
const maxLogBytes = 4 * 1024 * 1024;

const lastLines = (path: string, lines: number): string => {
  const { size } = statSync(path);
  const text = readFileSync(path)
    .subarray(Math.max(0, size - maxLogBytes))
    .toString('utf8');
  return `${text.trimEnd().split('\n').slice(-lines).join('\n')}\n`;
};

const addStackLogs = async (
  deps: CliDeps,
  { home }: LocalContext,
  collected: Collected,
  { lines }: CollectOptions,
): Promise<void> => {
  const folder = join(home, 'logs');
  if (!existsSync(folder)) {
    collected.missing.push(`logs: ${folder} is not there`);
    return;
  }
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    await add(deps, collected, `logs/${name}`, () => lastLines(join(folder, name), lines));
  }
};

const addRelease = async (
  deps: CliDeps,
  client: KubeClient,
  collected: Collected,
  { lines }: CollectOptions,
): Promise<void> => {
  await add(deps, collected, 'cluster/version.json', async () => ({
    kubernetes: await client.serverVersion(),
  }));
  await add(deps, collected, 'cluster/deployments.json', async () => {
    const deployments = await client.listDeployments(releaseSelector);
    // The variables are in the files of the configuration, without secrets.
    return deployments.map(({ variables: _variables, ...rest }) => rest);
  });
  await add(deps, collected, 'cluster/events.json', () => client.listEvents());
  const pods = await client.listPods(releaseSelector);
  collected.files.set('cluster/pods.json', asJson(pods));
  for (const pod of pods) {
    const [container] = pod.containers;
    await add(deps, collected, `logs/${pod.name}.log`, () =>
      client.readLog(pod.name, { lines, ...(container !== undefined && { container }) }),
    );
  }
};

const processes = ['customer', 'admin', 'accounting', 'worker'];

/** Collects the files of a support bundle, which are not redacted yet. */
export const collect = async (
  deps: CliDeps,
  context: Context,
  globals: GlobalOptions,
  options: CollectOptions,
): Promise<Collected> => {
  const collected: Collected = { files: new Map(), missing: [] };
  const part = (name: string, make: () => unknown) => add(deps, collected, name, make);
  await part('versions.json', () => ({
    goldctl: deps.version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    at: deps.now().toISOString(),
    context: context.kind,
  }));
  deps.stderr('running the checks\n');
  await part('checks.json', async () => {
    const { records } = await runChecks(deps, globals, usualCategories(context.kind === 'local'));
    return { summary: summaryOf(records), records };
  });
  for (const name of context.kind === 'pod' ? ['admin'] : processes) {
    await part(`configuration/${name}.json`, () => explainProcess(deps, context, name));
  }
  deps.stderr('reading the logs\n');
  if (context.kind === 'local') await addStackLogs(deps, context, collected, options);
  if (context.kind === 'kube') {
    try {
      await addRelease(deps, await createKubeClient(deps, context), collected, options);
    } catch (error) {
      deps.signal.throwIfAborted();
      if (!(error instanceof CliError)) throw error;
      collected.missing.push(`cluster: ${error.message}`);
    }
  }
  return collected;
};
