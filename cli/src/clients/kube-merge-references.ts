import type { KubeReference } from './kube.types.ts';

/** What every namespace is given by the cluster itself, mounted into each pod. */
const clusterOwn = new Set(['kube-root-ca.crt']);

/** Each name once, by kind and name; needed where any of them is needed. */
export const mergeReferences = (references: readonly KubeReference[]): KubeReference[] => {
  const merged = new Map<string, KubeReference>();
  for (const one of references) {
    const { kind, name } = one;
    if (clusterOwn.has(name)) continue;
    const isOptional = one.isOptional && (merged.get(`${kind} ${name}`)?.isOptional ?? true);
    merged.set(`${kind} ${name}`, { kind, name, isOptional });
  }
  return [...merged.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
};
