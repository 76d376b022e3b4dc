import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { changedByHand } from './changed-by-hand.ts';
import type { Deployed, StackObject } from './stack-objects.ts';

const mapSchema = z.record(z.string(), z.unknown());
const listSchema = z.array(z.unknown());

const mapOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  mapSchema.safeParse(value).data;

/** Names the parts of a map or of a list. */
const partsOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  const list = listSchema.safeParse(value).data;
  return list === undefined
    ? Object.entries(mapOf(value) ?? {})
    : list.map((one, at) => [String(at), one]);
};

const partOf = (value: unknown, key: string): unknown =>
  listSchema.safeParse(value).data?.[Number(key)] ?? mapOf(value)?.[key];

interface Field {
  readonly path: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** A wanted value, as the cluster had it after the deployment, and as it has it now. */
interface Three {
  readonly wanted: unknown;
  readonly made: unknown;
  readonly live: unknown;
}

/**
 * Finds the fields whose value now differs from the value that was deployed. The cluster normalises
 * many values, so the values that it had after the deployment are compared with those that it has
 * now.
 */
const changedFields = ({ wanted, made, live }: Three, path = ''): readonly Field[] => {
  const parts = partsOf(wanted);
  if (parts.length === 0) {
    // An empty map says that there is one, and others fill it.
    const isSame =
      mapOf(wanted) === undefined
        ? isDeepStrictEqual(made, live)
        : (made === undefined) === (live === undefined);
    return isSame ? [] : [{ path, was: made, is: live }];
  }
  return parts.flatMap(([key, one]) =>
    changedFields(
      { wanted: one, made: partOf(made, key), live: partOf(live, key) },
      path === '' ? key : `${path}.${key}`,
    ),
  );
};

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);

/** A Secret's text is stored as data, and is never shown. */
const isSecret = ({ kind }: StackObject): boolean => kind === 'Secret';

const storedForm = (wanted: StackObject): StackObject => {
  if (!isSecret(wanted)) return wanted;
  const { stringData, ...rest } = wanted;
  return { ...rest, data: { ...mapOf(wanted['data']), ...mapOf(stringData) } };
};

const keyOf = (value: unknown): string => {
  const object = mapOf(value);
  const metadata = mapOf(object?.['metadata']);
  return [object?.['kind'], metadata?.['namespace'] ?? '', metadata?.['name']].join(' ').trim();
};

/**
 * Says of each object of a stack what is not as it was deployed.
 * @param live The objects as the cluster has them now, with their managed fields.
 */
export const compareObjects = (
  objects: readonly Deployed[],
  live: readonly unknown[],
): readonly string[] => {
  const found = new Map(live.map((one) => [keyOf(one), one]));
  return objects.flatMap(({ wanted, made, isOperated }) => {
    const title = `${wanted.kind} ${wanted.metadata.name}`;
    const now = found.get(keyOf(wanted));
    if (now === undefined) return [`${title} is gone`];
    const changed = changedFields({ wanted: storedForm(wanted), made, live: now });
    const told = changed.map(({ path, was, is }) =>
      isSecret(wanted) ? `${path} was changed` : `${path} was ${shown(was)}, is ${shown(is)}`,
    );
    const added = isOperated ? [] : changedByHand(now, wanted);
    return [...told, ...added].map((what) => `${title}: ${what}`);
  });
};
