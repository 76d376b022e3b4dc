import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { componentSelector, type KubeClient, type KubePod } from '../clients/kube.ts';

/** A process that reads the gates, and what it says of a setting. */
export interface Replica {
  readonly name: string;
  /**
   * Returns the setting as the process reads it now, null if it is missing.
   * @throws CliError
   */
  ask(setting: string): Promise<string | null>;
}

/** The processes that read the gates. Each has separate pods. */
export const processNames = ['customer', 'admin', 'accounting', 'worker'];
const internalPort = 'internal';
const askTimeoutMs = 5000;

const answerForm = z.object({ switches: z.record(z.string(), z.string().nullable()) });

const askAddress = async (
  address: string,
  setting: string,
  signal: AbortSignal,
): Promise<string | null> => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]);
  const response = await fetch(new URL('/switches', address), { signal: limit });
  const body = answerForm.safeParse(await response.json().catch(() => undefined));
  if (body.success) return body.data.switches[setting] ?? null;
  throw new Error(`it answers ${response.status}, as an older version does`);
};

const inPod = (deps: CliDeps, client: KubeClient, pod: KubePod): Replica => ({
  name: pod.name,
  ask: async (setting) => {
    const port = pod.ports[internalPort];
    if (port === undefined) throw new Error('it has no internal port');
    const forward = await client.portForward(pod.name, port);
    try {
      return await askAddress(`http://127.0.0.1:${forward.port}`, setting, deps.signal);
    } finally {
      await forward.close();
    }
  },
});

/** Returns the replicas of a release that run, whether they are ready or not. */
export const replicasOf = async (deps: CliDeps, client: KubeClient): Promise<Replica[]> => {
  const pods = await client.listPods(componentSelector(...processNames));
  return pods
    .filter(({ phase, isTerminating }) => phase === 'Running' && !isTerminating)
    .map((pod) => inPod(deps, client, pod));
};

/** Returns the processes of a local stack that run and know how to say it. */
export const localReplicas = async (
  deps: CliDeps,
  addresses: Readonly<Record<string, string>>,
): Promise<Replica[]> => {
  const all = Object.entries(addresses).map(([name, address]) => ({
    name,
    ask: (setting: string) => askAddress(address, setting, deps.signal),
  }));
  const running = await Promise.all(
    all.map(async (replica) => {
      const answer = await replica.ask('').catch(() => 'silent');
      return answer === 'silent' ? [] : [replica];
    }),
  );
  return running.flat();
};

/** Says why a replica did not respond. An interruption is not such a reason. */
export const reasonOf = (deps: CliDeps, error: unknown): string => {
  deps.signal.throwIfAborted();
  if (error instanceof CliError) return error.message;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
};
