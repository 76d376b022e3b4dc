import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import {
  componentSelector,
  createKubeClient,
  type KubeClient,
  type KubeDeployment,
  type KubePod,
} from '../clients/kube.ts';
import type { KubeContext } from '../contexts/context.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { CheckTarget } from './check-target.ts';
import type { ClusterCategory, CheckRecord } from './check.types.ts';
import { deploymentRecords } from './deployment-records.ts';
import { probeRelease } from './kube-probes.ts';
import { recordOfError } from './make-record.ts';
import { podRecords } from './pod-records.ts';
import { processNames } from './process-probe.ts';
import { referenceRecords } from './reference-records.ts';

/** What was listed, or why it could not be. */
type Listed<T> = { readonly items: readonly T[] } | { readonly error: CliError };

export interface ReleaseView {
  readonly client: KubeClient;
  readonly deployments: Listed<KubeDeployment>;
  readonly pods: Listed<KubePod>;
}

/** A missing right to one kind leaves the others to look at; all else stops the check. */
const isForbidden = (error: unknown): error is CliError =>
  error instanceof CliError && 'status' in error && error.status === 403;

const listed = async <T>(work: Promise<readonly T[]>): Promise<Listed<T>> => {
  try {
    return { items: await work };
  } catch (error) {
    if (isForbidden(error)) return { error };
    throw error;
  }
};

const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let started: Promise<T> | undefined;
  return () => (started ??= work());
};

const recordsOf = async (
  { client, deployments, pods }: ReleaseView,
  category: ClusterCategory,
): Promise<CheckRecord[]> => {
  switch (category) {
    case 'deployments':
      return 'error' in deployments
        ? [recordOfError('deployment-available', deployments.error)]
        : deploymentRecords(deployments.items);
    case 'pods':
      return 'error' in pods ? [recordOfError('pods-ready', pods.error)] : podRecords(pods.items);
    case 'config-maps':
    case 'secrets': {
      const id = category === 'secrets' ? 'secret-exists' : 'config-map-exists';
      if ('error' in deployments) return [recordOfError(id, deployments.error)];
      const templates = [...deployments.items, ...('error' in pods ? [] : pods.items)];
      return referenceRecords(client, id, templates);
    }
    default:
      return category satisfies never;
  }
};

/** A release in a cluster. @throws CliError unreachable, denied, usage. */
export const openKubeTarget = async (
  deps: CliDeps,
  context: KubeContext,
  options: GlobalOptions,
): Promise<CheckTarget> => {
  const client = await createKubeClient(deps, context);
  const [deployments, pods] = await Promise.all([
    listed(client.listDeployments(componentSelector(...processNames))),
    listed(client.listPods(componentSelector(...processNames, 'migrate'))),
  ]);
  const view: ReleaseView = { client, deployments, pods };
  const { adminUrl } = options;
  return {
    description: `namespace ${client.namespace} (${client.description})`,
    context,
    healthRoutes:
      adminUrl === undefined ? [] : [{ process: 'admin', url: new URL('/v1/health', adminUrl) }],
    probes: once(() =>
      probeRelease({
        client,
        pods: 'error' in pods ? [] : pods.items,
        signal: deps.signal,
        adminUrl,
        mayForward: !context.inCluster,
      }),
    ),
    clusterRecords: (category) => recordsOf(view, category),
  };
};
