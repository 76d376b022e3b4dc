import type { z } from 'zod';

type Path = readonly PropertyKey[];

const isContainer = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns the paths of a schema's issues, including those inside unions. */
const pathsOf = (issues: readonly z.core.$ZodIssue[], base: Path = []): Path[] =>
  issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code !== 'invalid_union') return [path];
    return [path, ...issue.errors.flatMap((each) => pathsOf(each, path))];
  });

/** Deletes the member at `path` if it is null. An element of a list stays. */
const deleteNull = (root: unknown, path: Path): boolean => {
  const name = path.at(-1);
  let holder = root;
  for (const key of path.slice(0, -1)) holder = isContainer(holder) ? holder[key] : undefined;
  if (name === undefined || !isContainer(holder) || Array.isArray(holder)) return false;
  if (!Object.hasOwn(holder, name) || holder[name] !== null) return false;
  delete holder[name];
  return true;
};

/**
 * The limit of rounds. Each round deletes nulls that the schema refused. No request needs more
 * rounds.
 */
const maxRounds = 8;

/**
 * Parses a request. Null means the same as an absent member, because clients in Kotlin, Swift and
 * Dart write null for fields without a value. Only a null that the schema refuses is removed, so
 * that a meaningful null, such as one that clears a field, keeps its meaning. This changes `value`,
 * which must be the parser's own copy.
 */
export const parseWithoutNulls = (schema: z.ZodType, value: unknown) => {
  let parsed = schema.safeParse(value);
  for (let round = 0; !parsed.success && round < maxRounds; round += 1) {
    const deleted = pathsOf(parsed.error.issues).filter((path) => deleteNull(value, path));
    if (deleted.length === 0) break;
    parsed = schema.safeParse(value);
  }
  return parsed;
};
