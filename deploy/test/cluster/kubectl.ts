import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { mustRun, runCommand } from './run-command.ts';

const namedSchema = z.object({
  metadata: z.object({ name: z.string() }),
});
const listSchema = z.object({ items: z.array(namedSchema) });
const configMapSchema = z.object({ data: z.record(z.string(), z.string()) });

/** Questions to a namespace of the cluster. */
export const createKubectl = (namespace: string) => {
  const read = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse(await mustRun('kubectl', ['-n', namespace, ...args, '-o', 'json']));
  return {
    exists: async (): Promise<boolean> =>
      (await mustRun('kubectl', ['get', 'namespace', namespace, '--ignore-not-found'])) !== '',
    /** Names of the objects of a kind, in order. */
    names: async (kind: string, selector: string): Promise<string[]> =>
      listSchema
        .parse(await read('get', kind, '-l', selector))
        .items.map(({ metadata }) => metadata.name)
        .toSorted((one, other) => one.localeCompare(other)),
    configMap: async (name: string): Promise<Readonly<Record<string, string>>> =>
      configMapSchema.parse(await read('get', 'configmap', name)).data,
    /** Changes one key of a ConfigMap, as an operator would. */
    setValue: async (configMap: string, key: string, value: string): Promise<void> => {
      const patch = JSON.stringify({ data: { [key]: value } });
      const args = ['-n', namespace, 'patch', 'configmap', configMap, '--type=merge', '-p', patch];
      await mustRun('kubectl', args);
    },
    /** Reads a file in the first container of a Deployment's pod. */
    fileIn: async (deployment: string, path: string): Promise<string> => {
      const args = ['-n', namespace, 'exec', `deployment/${deployment}`, '--', 'cat', path];
      return (await runCommand('kubectl', args)).stdout;
    },
  };
};

export type Kubectl = ReturnType<typeof createKubectl>;

/**
 * Asks every second until the answer is the wanted one.
 * @throws Error with the last answer when it has not come after two minutes.
 */
export const waitFor = async (wanted: string, ask: () => Promise<string>): Promise<void> => {
  let answer = '';
  for (let round = 0; round < 120; round += 1) {
    answer = await ask();
    if (answer === wanted) return;
    await delay(1000);
  }
  throw new Error(`waited for "${wanted}", and the last answer was "${answer}"`);
};

const chartLabel = 'helm.sh/chart';
const labelledSchema = z.object({
  items: z.array(z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) })),
});

/** Returns the charts by which a namespace's Deployments of the service were made. */
export const releasesOf = async (namespace: string): Promise<readonly string[]> => {
  const selector = 'app.kubernetes.io/part-of=digital-gold';
  const args = ['-n', namespace, 'get', 'deployments', '-l', selector, '-o', 'json'];
  const { items } = labelledSchema.parse(JSON.parse(await mustRun('kubectl', args)));
  return [...new Set(items.map(({ metadata }) => metadata.labels[chartLabel] ?? 'none'))];
};
