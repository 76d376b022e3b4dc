import { essentialValues, hostileValues } from './hostile-values.ts';
import { fits, type DocumentedRoute, type JsonSchema } from './openapi-document.ts';

/** One request with one field that is hostile or left out, else good. */
export interface Trial {
  readonly field: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly sent: unknown;
}

/**
 * Creates a function that returns true for a schema it has met before: of fields and parameters
 * with the same schema only the first is sent everything.
 */
export const createRepeats = () => {
  const known = new Set<string>();
  return (schema: JsonSchema): boolean => {
    const key = JSON.stringify(schema);
    const isRepeat = known.has(key);
    known.add(key);
    return isRepeat;
  };
};

/**
 * Returns the requests that a route's schema refuses, and those it takes though nobody means them.
 */
export const trialsOf = (
  route: DocumentedRoute,
  goodBody: () => Readonly<Record<string, unknown>>,
  isRepeat: ReturnType<typeof createRepeats>,
): { invalid: Trial[]; doubtful: Trial[] } => {
  const invalid: Trial[] = [];
  const doubtful: Trial[] = [];
  const required = new Set(route.body?.required);
  for (const [field, schema] of Object.entries(route.body?.properties ?? {})) {
    if (required.has(field)) {
      const { [field]: _left, ...body } = goodBody();
      invalid.push({ field, body, sent: '(nothing)' });
    }
    for (const sent of isRepeat(schema) ? essentialValues : hostileValues) {
      // Null is absent wherever a field may be.
      if (sent === null && !required.has(field)) continue;
      const trial = { field, body: { ...goodBody(), [field]: sent }, sent };
      (fits(schema, sent) ? doubtful : invalid).push(trial);
    }
  }
  return { invalid, doubtful };
};
