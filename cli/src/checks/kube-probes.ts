import { CliError } from '../cli-error.ts';
import type { KubeClient, KubePod } from '../clients/kube.ts';
import {
  askReadiness,
  processNames,
  type ProcessName,
  type ProcessProbe,
} from './process-probe.ts';

interface Release {
  readonly client: KubeClient;
  readonly pods: readonly KubePod[];
  readonly signal: AbortSignal;
  /** Asked in place of the admin pods where it is given. */
  readonly adminUrl: string | undefined;
  /** Whether ports of pods may be forwarded: a check in a pod has no such right. */
  readonly mayForward: boolean;
}

/** The container port of the probes, as the chart names it. */
const probePort = 'internal';

/** What the cluster's own readiness probe says of a process's pods. */
const fromConditions = (process: ProcessName, pods: readonly KubePod[]): ProcessProbe => {
  const ready = pods.filter(({ isReady }) => isReady);
  const trouble = pods.find(({ isReady }) => !isReady)?.trouble;
  const suffix = trouble === undefined ? '' : ` (${trouble})`;
  return {
    process,
    state: ready.length > 0 ? 'ready' : pods.length > 0 ? 'not-ready' : 'silent',
    needs: {},
    detail: `${ready.length} of ${pods.length} pods are ready${suffix}.`,
  };
};

const throughForward = async (
  { client, signal }: Release,
  process: ProcessName,
  pod: KubePod,
  port: number,
): Promise<ProcessProbe> => {
  const forward = await client.portForward(pod.name, port);
  try {
    const probe = await askReadiness(process, `http://127.0.0.1:${forward.port}`, signal);
    return { ...probe, detail: `pod ${pod.name}: ${probe.detail}` };
  } finally {
    await forward.close();
  }
};

const probeProcess = async (release: Release, process: ProcessName): Promise<ProcessProbe> => {
  const { adminUrl, signal } = release;
  const pods = release.pods.filter(
    ({ labels, isTerminating }) =>
      labels['app.kubernetes.io/component'] === process && !isTerminating,
  );
  const conditions = fromConditions(process, pods);
  if (process === 'admin' && adminUrl !== undefined) {
    const asked = await askReadiness(process, adminUrl, signal);
    // An ingress may keep the probes to itself; the cluster's word is as good.
    return asked.state === 'silent' ? conditions : asked;
  }
  // One that is not ready can tell why itself.
  const pod = pods.find(({ isReady }) => isReady) ?? pods.find(({ phase }) => phase === 'Running');
  const port = pod?.ports[probePort];
  if (!release.mayForward || pod === undefined || port === undefined) return conditions;
  try {
    const asked = await throughForward(release, process, pod, port);
    return asked.state === 'silent' ? conditions : asked;
  } catch (error) {
    if (error instanceof CliError) return conditions;
    throw error;
  }
};

/** What the processes of a release say, each by one pod, or what the cluster says of them. */
export const probeRelease = (release: Release): Promise<ProcessProbe[]> =>
  Promise.all(processNames.map((process) => probeProcess(release, process)));
