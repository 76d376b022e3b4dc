import type { V1EnvVar, V1PodSpec } from '@kubernetes/client-node';
import type { KubeDeployment, KubeVariable } from './kube.types.ts';

const toVariable = ({ name, value, valueFrom }: V1EnvVar): KubeVariable => {
  const { configMapKeyRef: map, secretKeyRef: secret } = valueFrom ?? {};
  const from =
    map?.name !== undefined
      ? ({ kind: 'ConfigMap', name: map.name } as const)
      : secret?.name !== undefined
        ? ({ kind: 'Secret', name: secret.name } as const)
        : undefined;
  return {
    name,
    value: from === undefined ? value : undefined,
    from,
    key: map?.key ?? secret?.key,
  };
};

/** Reads the variables of a template's first container. */
export const variablesOf = (spec: V1PodSpec | undefined): KubeDeployment['variables'] =>
  (spec?.containers[0]?.env ?? []).map(toVariable);

/** Reads the objects of which a template's first container takes every key as a variable. */
export const variablesFromOf = (spec: V1PodSpec | undefined): KubeDeployment['variablesFrom'] =>
  (spec?.containers[0]?.envFrom ?? []).flatMap(({ configMapRef, secretRef }) => [
    ...(configMapRef?.name === undefined
      ? []
      : [{ kind: 'ConfigMap' as const, name: configMapRef.name }]),
    ...(secretRef?.name === undefined ? [] : [{ kind: 'Secret' as const, name: secretRef.name }]),
  ]);
