import type {
  V1Container,
  V1ContainerStatus,
  V1Deployment,
  V1ObjectMeta,
  V1Pod,
  V1PodSpec,
  V1Volume,
} from '@kubernetes/client-node';
import { variablesFromOf, variablesOf } from './kube-variables.ts';
import type { KubeDeployment, KubeObject, KubePod, KubeReference } from './kube.types.ts';

/** The config map that the cluster creates in every namespace and mounts into each pod. */
const clusterConfigMaps = new Set(['kube-root-ca.crt']);

/** Merges references to the same object. If any of them is required, the object is required. */
export const mergeReferences = (references: readonly KubeReference[]): KubeReference[] => {
  const merged = new Map<string, KubeReference>();
  for (const item of references) {
    const { kind, name } = item;
    if (clusterConfigMaps.has(name)) continue;
    const isOptional = item.isOptional && (merged.get(`${kind} ${name}`)?.isOptional ?? true);
    merged.set(`${kind} ${name}`, { kind, name, isOptional });
  }
  return [...merged.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** The part that all of the library's reference types share. */
interface Named {
  readonly name?: string;
  readonly optional?: boolean;
}

const reference = (
  kind: KubeReference['kind'],
  named: Named | undefined,
  isOptional = named?.optional ?? false,
): KubeReference[] =>
  named?.name === undefined || named.name === '' ? [] : [{ kind, name: named.name, isOptional }];

const inContainer = ({ env, envFrom }: V1Container): KubeReference[] => [
  ...(envFrom ?? []).flatMap(({ configMapRef, secretRef }) => [
    ...reference('ConfigMap', configMapRef),
    ...reference('Secret', secretRef),
  ]),
  ...(env ?? []).flatMap(({ valueFrom }) => [
    ...reference('ConfigMap', valueFrom?.configMapKeyRef),
    ...reference('Secret', valueFrom?.secretKeyRef),
  ]),
];

const secretVolume = ({ secret }: V1Volume): KubeReference[] =>
  secret?.secretName === undefined
    ? []
    : reference('Secret', { name: secret.secretName }, secret.optional ?? false);

const inVolume = (volume: V1Volume): KubeReference[] => [
  ...reference('ConfigMap', volume.configMap),
  ...secretVolume(volume),
  ...(volume.projected?.sources ?? []).flatMap((source) => [
    ...reference('ConfigMap', source.configMap),
    ...reference('Secret', source.secret),
  ]),
];

/**
 * Returns the config maps and secrets to which pods of the template refer, each once. A pull secret is
 * optional, since it is needed only if the image must be pulled.
 */
const referencesOf = (spec: V1PodSpec | undefined): KubeReference[] =>
  mergeReferences([
    ...[...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(inContainer),
    ...(spec?.volumes ?? []).flatMap(inVolume),
    ...(spec?.imagePullSecrets ?? []).flatMap((named) => reference('Secret', named, true)),
  ]);

/** Reads the name and the labels of an object. */
export const toObject = (object: { readonly metadata?: V1ObjectMeta }): KubeObject => ({
  name: object.metadata?.name ?? '',
  labels: object.metadata?.labels ?? {},
});

const deploymentTrouble = ({ status }: V1Deployment): string | undefined => {
  const bad = (status?.conditions ?? []).find(
    ({ type, status }) =>
      (type === 'ReplicaFailure' && status === 'True') ||
      (type === 'Progressing' && status === 'False'),
  );
  return bad?.message ?? bad?.reason;
};

/** Reads the parts of a deployment that goldctl uses. */
export const toDeployment = (deployment: V1Deployment): KubeDeployment => {
  const { metadata, spec, status } = deployment;
  return {
    ...toObject(deployment),
    wantedReplicas: spec?.replicas ?? 1,
    availableReplicas: status?.availableReplicas ?? 0,
    updatedReplicas: status?.updatedReplicas ?? 0,
    isObserved: (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0),
    trouble: deploymentTrouble(deployment),
    references: referencesOf(spec?.template.spec),
    configMapVolumes: Object.fromEntries(
      (spec?.template.spec?.volumes ?? []).flatMap(({ name, configMap }) =>
        configMap?.name === undefined ? [] : [[name, configMap.name]],
      ),
    ),
    images: (spec?.template.spec?.containers ?? []).map(({ image }) => image ?? ''),
    variables: variablesOf(spec?.template.spec),
    variablesFrom: variablesFromOf(spec?.template.spec),
  };
};

const containerTrouble = ({ name, state, lastState }: V1ContainerStatus): string | undefined => {
  const { waiting } = state ?? {};
  // Every container has this state for a short time while it starts.
  if (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating') {
    const exit = lastState?.terminated?.exitCode;
    const last = exit === undefined ? '' : `, last exit code ${exit}`;
    return `${name}: ${[waiting.reason, waiting.message].filter(Boolean).join(': ')}${last}`;
  }
  const { terminated } = state ?? {};
  if (terminated === undefined || terminated.exitCode === 0) return undefined;
  return `${name}: ${terminated.reason ?? 'ended'} with exit code ${terminated.exitCode}`;
};

const podTrouble = ({ status }: V1Pod): string | undefined => {
  const statuses = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ].map(containerTrouble);
  const known = statuses.find((trouble) => trouble !== undefined);
  if (known !== undefined) return known;
  const bad = (status?.conditions ?? []).find(
    ({ status, message }) => status === 'False' && message !== undefined,
  );
  return bad?.message ?? status?.message ?? status?.reason;
};

const defaultContainer = 'kubectl.kubernetes.io/default-container';

const containersOf = (spec: V1PodSpec | undefined, first: string | undefined): string[] => {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  return first !== undefined && names.includes(first)
    ? [first, ...names.filter((name) => name !== first)]
    : names;
};

/** Reads the parts of a pod that goldctl uses. */
export const toPod = (pod: V1Pod): KubePod => {
  const { metadata, spec, status } = pod;
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  const conditions = status?.conditions ?? [];
  return {
    ...toObject(pod),
    createdAt: metadata?.creationTimestamp ?? new Date(0),
    phase: status?.phase ?? 'Unknown',
    isReady: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    isTerminating: metadata?.deletionTimestamp !== undefined,
    ip: status?.podIP,
    containers: containersOf(spec, metadata?.annotations?.[defaultContainer]),
    ports: Object.fromEntries(
      ports.flatMap(({ name, containerPort }) =>
        name === undefined ? [] : [[name, containerPort]],
      ),
    ),
    trouble: podTrouble(pod),
    references: referencesOf(spec),
  };
};
