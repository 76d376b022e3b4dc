import type { V1Container, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import { mergeReferences } from './kube-merge-references.ts';
import type { KubeReference } from './kube.types.ts';

/** The one name under which the library knows a reference, whatever stands around it. */
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
 * The config maps and secrets that pods of the template need, each named once; one that is needed
 * anywhere is needed. A pull secret that is missing only matters where the image must be pulled.
 */
export const referencesOf = (spec: V1PodSpec | undefined): KubeReference[] =>
  mergeReferences([
    ...[...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(inContainer),
    ...(spec?.volumes ?? []).flatMap(inVolume),
    ...(spec?.imagePullSecrets ?? []).flatMap((named) => reference('Secret', named, true)),
  ]);
