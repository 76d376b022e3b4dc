import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { changedByHand } from './changed-by-hand.ts';
import type { Deployed, StackObject } from './stack-objects.ts';

const mapSchema = z.record(z.string(), z.unknown());
const listSchema = z.array(z.unknown());

const mapOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  mapSchema.safeParse(value).data;

/** Returns the parts of a map or of a list by their keys. */
const partsOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  const list = listSchema.safeParse(value).data;
  return list === undefined
    ? Object.entries(mapOf(value) ?? {})
    : list.map((item, index) => [String(index), item]);
};

const partOf = (value: unknown, key: string): unknown =>
  listSchema.safeParse(value).data?.[Number(key)] ?? mapOf(value)?.[key];

interface Field {
  readonly path: string;
  readonly was: unknown;
  readonly is: unknown;
}

/**
 * A value as the stack wants it, as the cluster had it after the deployment, and as the cluster has
 * it now.
 */
interface ComparedValue {
  readonly wanted: unknown;
  readonly made: unknown;
  readonly live: unknown;
}

/**
 * Finds the fields whose value now differs from the value that was deployed. The cluster normalises
 * many values, so the values after the deployment are compared with the present values.
 */
const changedFields = ({ wanted, made, live }: ComparedValue, path = ''): readonly Field[] => {
  const parts = partsOf(wanted);
  if (parts.length === 0) {
    // An empty map only requires that the map exists. Others fill it.
    const isSame =
      mapOf(wanted) === undefined
        ? isDeepStrictEqual(made, live)
        : (made === undefined) === (live === undefined);
    return isSame ? [] : [{ path, was: made, is: live }];
  }
  return parts.flatMap(([key, part]) =>
    changedFields(
      { wanted: part, made: partOf(made, key), live: partOf(live, key) },
      path === '' ? key : `${path}.${key}`,
    ),
  );
};

const display = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);

/** Returns true for a Secret. Its text is stored as `data`, and is never shown. */
const isSecret = ({ kind }: StackObject): boolean => kind === 'Secret';

const storedForm = (wanted: StackObject): StackObject => {
  if (!isSecret(wanted)) return wanted;
  const { stringData, ...fields } = wanted;
  return { ...fields, data: { ...mapOf(wanted['data']), ...mapOf(stringData) } };
};

const keyOf = (value: unknown): string => {
  const object = mapOf(value);
  const metadata = mapOf(object?.['metadata']);
  return [object?.['kind'], metadata?.['namespace'] ?? '', metadata?.['name']].join(' ').trim();
};

/**
 * Describes how each object of a stack differs from its deployed form.
 * @param live The cluster's present objects, with their managed fields.
 */
export const compareObjects = (
  objects: readonly Deployed[],
  live: readonly unknown[],
): readonly string[] => {
  const found = new Map(live.map((object) => [keyOf(object), object]));
  return objects.flatMap(({ wanted, made, isOperated }) => {
    const title = `${wanted.kind} ${wanted.metadata.name}`;
    const present = found.get(keyOf(wanted));
    if (present === undefined) return [`${title} is gone`];
    const changed = changedFields({ wanted: storedForm(wanted), made, live: present });
    const changes = changed.map(({ path, was, is }) =>
      isSecret(wanted) ? `${path} was changed` : `${path} was ${display(was)}, is ${display(is)}`,
    );
    const added = isOperated ? [] : changedByHand(present, wanted);
    return [...changes, ...added].map((change) => `${title}: ${change}`);
  });
};
