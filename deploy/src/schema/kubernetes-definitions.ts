import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export type Schema = Readonly<Record<string, unknown>>;

const fileWire = z.object({
  definitions: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** Returns true for a keyword of Kubernetes' definitions that does not constrain a value. */
const isLeftOut = (key: string, value: unknown): boolean =>
  (key === 'description' && typeof value === 'string') ||
  key.startsWith('x-kubernetes-') ||
  (key === 'format' && typeof value === 'string') ||
  key === 'default';

const onlyConstraints = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(onlyConstraints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !isLeftOut(key, inner))
      .map(([key, inner]) => [key, onlyConstraints(inner)]),
  );
};

/**
 * Reads the definitions of a release of Kubernetes from the folder of its schemas, which `make
 * tools` fills. These schemas refuse unknown fields.
 */
export const readKubernetesDefinitions = (folder: string): ReadonlyMap<string, Schema> => {
  const found = new Map<string, Schema>();
  for (const name of [
    'pod-v1',
    'networkpolicy-networking-v1',
    'ingress-networking-v1',
    'horizontalpodautoscaler-autoscaling-v2',
  ]) {
    const text = readFileSync(join(folder, `${name}.json`), 'utf8');
    for (const [key, schema] of Object.entries(fileWire.parse(JSON.parse(text)).definitions)) {
      found.set(key, onlyConstraints(schema) as Schema);
    }
  }
  return found;
};

/** Returns the names of the definitions that a text of a schema refers to. */
export const namesIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/gu)].map(([, name = '']) => name);
