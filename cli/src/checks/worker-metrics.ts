import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { componentSelector, type KubeClient } from '../clients/kube.ts';

/** The metrics of a worker by name, or undefined if no worker could be queried. */
export type WorkerMetrics = ReadonlyMap<string, number> | undefined;

const timeoutMs = 5000;
const line = /^(?<name>[a-z_]+)(?:\{[^}]*\})? (?<value>-?[\d.e+]+)$/gmu;

/** Adds up the samples of each name. The samples of several queues become one number. */
const parseMetrics = (text: string): ReadonlyMap<string, number> => {
  const figures = new Map<string, number>();
  for (const { groups } of text.matchAll(line)) {
    const { name = '', value = '' } = groups ?? {};
    figures.set(name, (figures.get(name) ?? 0) + Number(value));
  }
  return figures;
};

/** Reads the metrics at a host root. Throws only if interrupted. */
export const readMetrics = async (
  { signal }: Pick<CliDeps, 'signal'>,
  address: string | undefined,
): Promise<WorkerMetrics> => {
  if (address === undefined) return undefined;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(new URL('/metrics', address), { signal: limit });
    return response.status === 200 ? parseMetrics(await response.text()) : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
};

/** Reads the metrics of a ready worker through a forwarded port. Throws only if interrupted. */
export const readWorkerMetrics = async (
  deps: Pick<CliDeps, 'signal'>,
  client: KubeClient,
): Promise<WorkerMetrics> => {
  try {
    const pods = await client.listPods(componentSelector('worker'));
    const pod = pods.find(({ isReady, isTerminating }) => isReady && !isTerminating);
    const port = pod?.ports['internal'];
    if (pod === undefined || port === undefined) return undefined;
    const forward = await client.portForward(pod.name, port);
    try {
      return await readMetrics(deps, `http://127.0.0.1:${forward.port}`);
    } finally {
      await forward.close();
    }
  } catch (error) {
    deps.signal.throwIfAborted();
    if (error instanceof CliError) return undefined;
    throw error;
  }
};
