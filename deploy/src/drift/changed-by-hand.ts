import { z } from 'zod';
import type { StackObject } from './stack-objects.ts';

const fieldsSchema = z.record(z.string(), z.unknown());
const managedSchema = z.object({
  metadata: z.object({
    managedFields: z
      .array(
        z.object({
          manager: z.string().default(''),
          time: z.string().default('an unknown time'),
          subresource: z.string().default(''),
          fieldsV1: fieldsSchema.default({}),
        }),
      )
      .default([]),
  }),
});

/**
 * The annotation that a rolling restart adds. It is not reported, since every Deployment may be
 * restarted.
 */
const restartAnnotation = 'kubectl.kubernetes.io/restartedAt';

/**
 * Returns the part of an object that a key of a field set names, which is a field or an element of
 * a list.
 */
const partAt = (value: unknown, key: string): unknown => {
  const name = key.slice(2);
  if (!Array.isArray(value)) return fieldsSchema.safeParse(value).data?.[name];
  const wanted: unknown = JSON.parse(name);
  const list: readonly unknown[] = value;
  return list.find((candidate) => {
    const element = fieldsSchema.safeParse(candidate).data;
    const named = fieldsSchema.safeParse(wanted).data;
    if (element === undefined || named === undefined) return candidate === wanted;
    return Object.entries(named).every(
      ([part, expected]) => (element[part] ?? expected) === expected,
    );
  });
};

/**
 * Lists the paths of a field set that an object does not have, such as `spec.nodeSelector.disk`.
 */
const missingPaths = (
  fields: unknown,
  object: unknown,
  above: readonly string[] = [],
): readonly string[] => {
  const below = Object.entries(fieldsSchema.safeParse(fields).data ?? {});
  const parts = below.filter(([key]) => key !== '.');
  if (parts.length === 0) return object === undefined ? [above.join('.')] : [];
  return parts.flatMap(([key, inner]) =>
    missingPaths(inner, partAt(object, key), [...above, key.slice(2)]),
  );
};

/**
 * Lists the fields of an object of the cluster that were set with kubectl and that the stack does
 * not have. No deployment would remove them, and a comparison of the stack's fields does not show
 * them.
 */
export const changedByHand = (live: unknown, wanted: StackObject): readonly string[] =>
  managedSchema
    .parse(live)
    .metadata.managedFields.filter(
      ({ manager, subresource }) => manager.startsWith('kubectl') && subresource !== 'status',
    )
    .flatMap(({ manager, time, fieldsV1 }) =>
      missingPaths(fieldsV1, wanted)
        .filter((path) => !path.endsWith(restartAnnotation))
        .map((path) => `${path} was added by ${manager} at ${time}`),
    );
