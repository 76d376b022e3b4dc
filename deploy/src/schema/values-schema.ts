import { isMap, isScalar, LineCounter, parseDocument, type Pair, type YAMLMap } from 'yaml';
import { namesIn, type Schema } from './kubernetes-definitions.ts';
import { readAnnotations, readDefinitions, type Annotations } from './read-annotations.ts';

interface Source {
  readonly lines: readonly string[];
  readonly lineOf: (offset: number) => number;
  readonly definitions: ReadonlyMap<string, unknown>;
  readonly kubernetes: ReadonlyMap<string, Schema>;
}

/**
 * Returns the full name of a definition, such as `io.k8s.api.core.v1.Toleration` for
 * `core.v1.Toleration`.
 */
const fullName = (name: string): string => `io.k8s.api.${name}`;

const reference = (name: string, { definitions, kubernetes }: Source): Schema => {
  if (definitions.has(name)) return { $ref: `#/definitions/${name}` };
  if (kubernetes.has(fullName(name))) return { $ref: `#/definitions/${fullName(name)}` };
  throw new Error(`there is no definition ${name}`);
};

/**
 * Expands the short form of a schema. A single name refers to its definition, and a list with one
 * name to a list of that definition.
 */
const expand = (short: unknown, source: Source): Schema => {
  if (typeof short === 'string') return reference(short, source);
  if (Array.isArray(short)) return { type: 'array', items: expand(short[0], source) };
  const parts = Object.entries(short as Schema).map(([key, value]) => {
    if (['items', 'additionalProperties', 'not'].includes(key) && typeof value !== 'boolean') {
      return [key, expand(value, source)];
    }
    if (['allOf', 'oneOf', 'anyOf'].includes(key)) {
      return [key, (value as unknown[]).map((inner) => expand(inner, source))];
    }
    if (key !== 'properties') return [key, value];
    const properties = Object.entries(value as Schema);
    return [
      key,
      Object.fromEntries(properties.map(([name, inner]) => [name, expand(inner, source)])),
    ];
  });
  return Object.fromEntries(parts) as Schema;
};

const typeOf = (value: unknown): Schema | undefined => {
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'string') return { type: 'string' };
  return typeof value === 'number' ? { type: 'integer' } : undefined;
};

const keyOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key);

const annotationsOf = (pair: Pair, source: Source): Annotations => {
  const offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
  return readAnnotations(source.lines, source.lineOf(offset));
};

const pairOf = (map: YAMLMap | undefined, key: string): Pair | undefined =>
  map?.items.find((pair) => keyOf(pair) === key);

const mapIn = (pair: Pair | undefined): YAMLMap | undefined =>
  isMap(pair?.value) ? pair.value : undefined;

interface Place {
  readonly map: YAMLMap;
  /** The map with the annotations that are missing here. */
  readonly likeMap: YAMLMap | undefined;
  readonly path: string;
}

const schemaOf = (pair: Pair, place: Place, source: Source): Schema => {
  const key = keyOf(pair);
  const path = place.path === '' ? key : `${place.path}.${key}`;
  const own = annotationsOf(pair, source);
  const likePair = pairOf(place.likeMap, key);
  const like = likePair === undefined ? undefined : annotationsOf(likePair, source);
  const annotated = own.schema ?? like?.schema;
  const described = own.description === undefined ? {} : { description: own.description };
  const inner = mapIn(pair);
  const hasKeys = inner !== undefined && inner.items.length > 0;
  const likeMap = own.like === undefined ? mapIn(likePair) : mapIn(pairOf(place.map, own.like));
  if (annotated !== undefined) {
    const expanded = expand(annotated, source);
    if (hasKeys && !('type' in expanded) && !('$ref' in expanded)) {
      return { ...objectOf({ map: inner, likeMap, path }, source), ...expanded, ...described };
    }
    // JSON Schema ignores every other keyword beside a reference.
    if ('$ref' in expanded) return { allOf: [expanded], ...described };
    const isTyped = 'type' in expanded || 'enum' in expanded || 'oneOf' in expanded;
    const type = isTyped ? {} : typeOf(isScalar(pair.value) ? pair.value.value : undefined);
    return { ...type, ...expanded, ...described };
  }
  if (hasKeys) {
    return { ...objectOf({ map: inner, likeMap, path }, source), ...described };
  }
  const type = isScalar(pair.value) ? typeOf(pair.value.value) : undefined;
  if (type === undefined) throw new Error(`${path} needs a comment with @schema`);
  return { ...type, ...described };
};

const objectOf = (place: Place, source: Source): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    place.map.items.map((pair) => [keyOf(pair), schemaOf(pair, place, source)]),
  ),
});

/** Collects every definition that the schema refers to, directly or not. */
const collectDefinitions = (schema: unknown, source: Source, found: Map<string, Schema>): void => {
  for (const name of namesIn(schema)) {
    if (found.has(name)) continue;
    const own = source.definitions.get(name);
    const definition = own === undefined ? source.kubernetes.get(name) : expand(own, source);
    if (definition === undefined) throw new Error(`there is no definition ${name}`);
    found.set(name, definition);
    collectDefinitions(definition, source, found);
  }
};

/** Returns the JSON schema that the comments of a values.yaml describe. */
export const valuesSchema = (text: string, kubernetes: ReadonlyMap<string, Schema>): Schema => {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  if (!isMap(document.contents)) throw new Error('the values are not a map');
  const lines = text.split('\n');
  const lineOf = (offset: number): number => lineCounter.linePos(offset).line - 1;
  const source = { lines, lineOf, definitions: readDefinitions(lines), kubernetes };
  const root = objectOf({ map: document.contents, likeMap: undefined, path: '' }, source);
  const found = new Map<string, Schema>();
  collectDefinitions(root, source, found);
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart',
    ...root,
    definitions: Object.fromEntries(sorted),
  };
};

/**
 * Prints a schema with each definition on a separate line, so that a changed definition is a
 * changed line.
 */
export const printSchema = ({ definitions, ...own }: Schema): string => {
  const lines = Object.entries(definitions as Schema).map(
    ([name, definition]) => `  ${JSON.stringify(name)}: ${JSON.stringify(definition)}`,
  );
  const opened = JSON.stringify(own, undefined, 1).replace(/\n\}$/u, ',');
  return `${opened}\n "definitions": {\n${lines.join(',\n')}\n }\n}\n`;
};
