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

/** A field that a rolling restart leaves, which every deployment may have. */
const ofARestart = 'kubectl.kubernetes.io/restartedAt';

/** Finds in an object what a key of a field set names: a field, or an element of a list. */
const under = (value: unknown, key: string): unknown => {
  const name = key.slice(2);
  if (!Array.isArray(value)) return fieldsSchema.safeParse(value).data?.[name];
  const wanted: unknown = JSON.parse(name);
  const list: readonly unknown[] = value;
  return list.find((one) => {
    const element = fieldsSchema.safeParse(one).data;
    const named = fieldsSchema.safeParse(wanted).data;
    if (element === undefined || named === undefined) return one === wanted;
    return Object.entries(named).every(([part, is]) => (element[part] ?? is) === is);
  });
};

/** Lists the paths of a field set that an object does not name, such as `spec.nodeSelector.disk`. */
const pathsBeside = (
  fields: unknown,
  object: unknown,
  above: readonly string[] = [],
): readonly string[] => {
  const below = Object.entries(fieldsSchema.safeParse(fields).data ?? {});
  const parts = below.filter(([key]) => key !== '.');
  if (parts.length === 0) return object === undefined ? [above.join('.')] : [];
  return parts.flatMap(([key, rest]) =>
    pathsBeside(rest, under(object, key), [...above, key.slice(2)]),
  );
};

/**
 * Names the fields of an object of the cluster that somebody wrote with kubectl and the stack does
 * not name. No deployment would take them back, so no comparison shows them.
 */
export const changedByHand = (live: unknown, wanted: StackObject): readonly string[] =>
  managedSchema
    .parse(live)
    .metadata.managedFields.filter(
      ({ manager, subresource }) => manager.startsWith('kubectl') && subresource !== 'status',
    )
    .flatMap(({ manager, time, fieldsV1 }) =>
      pathsBeside(fieldsV1, wanted)
        .filter((path) => !path.endsWith(ofARestart))
        .map((path) => `${path} was added by ${manager} at ${time}`),
    );
