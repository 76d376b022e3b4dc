import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import type { KubeClient, KubePod } from '../clients/kube.ts';

/** The processes that serve. Each has separate deployments, pods and probes. */
export const processNames = ['customer', 'admin', 'accounting', 'worker'] as const;
export type ProcessName = (typeof processNames)[number];

/** The state of a process, as reported by the process itself or by the cluster. */
export interface ProcessProbe {
  readonly process: ProcessName;
  /** `silent` means that there was no response. */
  readonly state: 'ready' | 'not-ready' | 'silent';
  /** The states of the process's needs by name. Empty if only the state of the process is known. */
  readonly needs: Readonly<Record<string, 'ok' | 'failed'>>;
  readonly detail: string;
}

/** The time limit in ms of a probe. The process's own checks time out after two seconds. */
const probeTimeoutMs = 5000;

const readyz = z.object({
  status: z.string(),
  checks: z.record(z.string(), z.enum(['ok', 'failed'])),
});

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const probeOf = (process: ProcessName, address: string, body: unknown): ProcessProbe => {
  const report = readyz.safeParse(body);
  if (!report.success) {
    const detail = `${address} does not return a readiness report`;
    return { process, state: 'silent', needs: {}, detail };
  }
  const { status, checks } = report.data;
  const failed = Object.keys(checks).filter((name) => checks[name] === 'failed');
  const suffix = failed.length === 0 ? '' : `; failing: ${failed.join(', ')}`;
  return {
    process,
    state: status === 'ok' ? 'ready' : 'not-ready',
    needs: checks,
    detail: `It reports "${status}"${suffix}.`,
  };
};

const get = (url: URL, signal: AbortSignal): Promise<Response> =>
  fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]),
  });

/** Requests `/readyz` of the process at a host root. Throws only when interrupted. */
export const probeAddress = async (
  process: ProcessName,
  address: string,
  signal: AbortSignal,
): Promise<ProcessProbe> => {
  try {
    const response = await get(new URL('/readyz', address), signal);
    return probeOf(process, address, parseJson(await response.text()));
  } catch (error) {
    signal.throwIfAborted();
    const detail = `${address} does not answer: ${reasonOf(error)}`;
    return { process, state: 'silent', needs: {}, detail };
  }
};

/** Requests an API's public health route. Throws only when interrupted. */
export const probeHealth = async (
  url: URL,
  signal: AbortSignal,
): Promise<{ readonly isHealthy: boolean; readonly detail: string }> => {
  try {
    const response = await get(url, signal);
    await response.body?.cancel();
    const detail = `${url.href} returns ${response.status}`;
    return { isHealthy: response.status === 200, detail };
  } catch (error) {
    signal.throwIfAborted();
    return { isHealthy: false, detail: `${url.href} does not answer: ${reasonOf(error)}` };
  }
};

interface ReleasePods {
  readonly client: KubeClient;
  readonly pods: readonly KubePod[];
  readonly signal: AbortSignal;
  /** The address that is probed instead of the admin pods. */
  readonly adminUrl: string | undefined;
  /** False if goldctl runs in a pod, which has no right to forward ports of other pods. */
  readonly mayForward: boolean;
}

/** The chart's name of the container port for probes. */
const probePort = 'internal';

/** Reads the state from the cluster's own readiness probe of the process's pods. */
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
  { client, signal }: ReleasePods,
  process: ProcessName,
  pod: KubePod,
  port: number,
): Promise<ProcessProbe> => {
  const forward = await client.portForward(pod.name, port);
  try {
    const probe = await probeAddress(process, `http://127.0.0.1:${forward.port}`, signal);
    return { ...probe, detail: `pod ${pod.name}: ${probe.detail}` };
  } finally {
    await forward.close();
  }
};

const probePods = async (release: ReleasePods, process: ProcessName): Promise<ProcessProbe> => {
  const { adminUrl, signal } = release;
  const pods = release.pods.filter(
    ({ labels, isTerminating }) =>
      labels['app.kubernetes.io/component'] === process && !isTerminating,
  );
  const conditions = fromConditions(process, pods);
  if (process === 'admin' && adminUrl !== undefined) {
    const probe = await probeAddress(process, adminUrl, signal);
    // An ingress may not route the probes. The cluster's own probe is then used.
    return probe.state === 'silent' ? conditions : probe;
  }
  // A pod that is not ready can report the reason itself.
  const pod = pods.find(({ isReady }) => isReady) ?? pods.find(({ phase }) => phase === 'Running');
  const port = pod?.ports[probePort];
  if (!release.mayForward || pod === undefined || port === undefined) return conditions;
  try {
    const probe = await throughForward(release, process, pod, port);
    return probe.state === 'silent' ? conditions : probe;
  } catch (error) {
    if (error instanceof CliError) return conditions;
    throw error;
  }
};

/** Probes each process of a release by one of its pods. If it can't, it uses the cluster's probes. */
export const probeRelease = (release: ReleasePods): Promise<ProcessProbe[]> =>
  Promise.all(processNames.map((process) => probePods(release, process)));
