import {
  AuthorizationV1Api,
  NetworkingV1Api,
  VersionApi,
  type Configuration,
  type CoreV1Api,
} from '@kubernetes/client-node';
import type { KubeCall } from './kube-call.ts';
import { toObject } from './kube-objects.ts';
import type { KubeClient } from './kube.types.ts';

type LookCalls = Pick<
  KubeClient,
  | 'serverVersion'
  | 'mayI'
  | 'listTlsHosts'
  | 'listNetworkPolicies'
  | 'listEvents'
  | 'readLog'
  | 'hasNamespace'
>;

/** The maximum size of a log, since the log of a verbose process could fill the caller's disk. */
const maxLogBytes = 4 * 1024 * 1024;

/** The maximum number of listed objects. A release has fewer objects of each kind except events. */
const limit = 500;

/** Creates the calls that read the rights, the network and the logs of a release. */
export const createLookCalls = (options: {
  readonly configuration: Configuration;
  readonly core: CoreV1Api;
  readonly namespace: string;
  readonly call: KubeCall;
}): LookCalls => {
  const { configuration, core, namespace, call } = options;
  const network = new NetworkingV1Api(configuration);
  return {
    serverVersion: () =>
      call('ask for the version of the cluster', async () => {
        const { gitVersion } = await new VersionApi(configuration).getCode();
        return gitVersion;
      }),
    mayI: ({ verb, group, resource }) =>
      call('ask which rights you have', async () => {
        const resourceAttributes = { namespace, verb, group, resource };
        const body = { spec: { resourceAttributes } };
        const api = new AuthorizationV1Api(configuration);
        const { status } = await api.createSelfSubjectAccessReview({ body });
        return status?.allowed === true;
      }),
    hasNamespace: () =>
      call(`look for namespace ${namespace}`, async () => {
        const { items } = await core.listNamespace({
          fieldSelector: `metadata.name=${namespace}`,
        });
        return items.length > 0;
      }),
    listTlsHosts: (labelSelector) =>
      call(`list ingresses in namespace ${namespace}`, async () => {
        const { items } = await network.listNamespacedIngress({ namespace, labelSelector, limit });
        const hosts = items
          .flatMap(({ spec }) => spec?.tls ?? [])
          .flatMap((tls) => tls.hosts ?? []);
        return [...new Set(hosts)];
      }),
    listNetworkPolicies: (labelSelector) =>
      call(`list network policies in namespace ${namespace}`, async () => {
        const found = await network.listNamespacedNetworkPolicy({
          namespace,
          labelSelector,
          limit,
        });
        return found.items.map(toObject);
      }),
    listEvents: () =>
      call(`list events in namespace ${namespace}`, async () => {
        const { items } = await core.listNamespacedEvent({ namespace, limit });
        return items.map((event) => ({
          at: (event.lastTimestamp ?? event.metadata.creationTimestamp)?.toISOString() ?? null,
          type: event.type ?? '',
          reason: event.reason ?? '',
          object: `${event.involvedObject.kind ?? ''}/${event.involvedObject.name ?? ''}`,
          message: event.message ?? '',
        }));
      }),
    readLog: (name, { lines, container }) =>
      call(`read the log of pod ${name} in namespace ${namespace}`, () =>
        core.readNamespacedPodLog({
          name,
          namespace,
          tailLines: lines,
          limitBytes: maxLogBytes,
          ...(container !== undefined && { container }),
        }),
      ),
  };
};
