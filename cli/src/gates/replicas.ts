import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { componentSelector, type KubeClient, type KubePod } from '../clients/kube.ts';

/** A process that reads the gates. */
export interface Replica {
  readonly name: string;
  /**
   * Queries the process for a setting. Returns null if the setting is missing.
   * @throws Error if the process does not respond
   */
  query(setting: string): Promise<string | null>;
}

/** The processes that read the gates. Each has separate pods. */
export const processNames = ['customer', 'admin', 'accounting', 'worker'];
const internalPort = 'internal';
const queryTimeoutMs = 5000;

const answerForm = z.object({ switches: z.record(z.string(), z.string().nullable()) });

const queryAddress = async (
  address: string,
  setting: string,
  signal: AbortSignal,
): Promise<string | null> => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(queryTimeoutMs)]);
  const response = await fetch(new URL('/switches', address), { signal: limit });
  const body = answerForm.safeParse(await response.json().catch(() => undefined));
  if (body.success) return body.data.switches[setting] ?? null;
  throw new Error(`it answers ${response.status}, as an older version does`);
};

const inPod = (deps: CliDeps, client: KubeClient, pod: KubePod): Replica => ({
  name: pod.name,
  query: async (setting) => {
    const port = pod.ports[internalPort];
    if (port === undefined) throw new Error('it has no internal port');
    const forward = await client.portForward(pod.name, port);
    try {
      return await queryAddress(`http://127.0.0.1:${forward.port}`, setting, deps.signal);
    } finally {
      await forward.close();
    }
  },
});

/** Returns the running replicas of a release, even those that are not ready. */
export const replicasOf = async (deps: CliDeps, client: KubeClient): Promise<Replica[]> => {
  const pods = await client.listPods(componentSelector(...processNames));
  return pods
    .filter(({ phase, isTerminating }) => phase === 'Running' && !isTerminating)
    .map((pod) => inPod(deps, client, pod));
};

/** Returns the running processes of a local stack that report their settings. */
export const localReplicas = async (
  deps: CliDeps,
  addresses: Readonly<Record<string, string>>,
): Promise<Replica[]> => {
  const replicas = Object.entries(addresses).map(([name, address]) => ({
    name,
    query: (setting: string) => queryAddress(address, setting, deps.signal),
  }));
  const running = await Promise.all(
    replicas.map(async (replica) => {
      const answer = await replica.query('').catch(() => 'silent');
      return answer === 'silent' ? [] : [replica];
    }),
  );
  return running.flat();
};

/** Returns the reason why a replica did not respond. Throws if the command was interrupted. */
export const reasonOf = (deps: CliDeps, error: unknown): string => {
  deps.signal.throwIfAborted();
  if (error instanceof CliError) return error.message;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
};
