import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, JsonSchema>>;

/** Their patterns would only repeat the format, in expressions that few other languages read. */
const selfExplaining = new Set(['uuid', 'date-time', 'date', 'email', 'uri']);

const mostOfInt32 = 2 ** 31 - 1;

/** Rewrites the parts of zod's output that other languages' tools read badly. */
const tidy = (schema: Record<string, unknown>): void => {
  // Answers may gain fields: a client must not refuse what it does not know.
  if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
  if (selfExplaining.has(String(schema['format']))) delete schema['pattern'];
  if (schema['type'] !== 'integer') return;
  const { exclusiveMinimum, maximum, default: usual } = schema;
  // A parameter is read as text, and so is its default.
  if (typeof usual === 'string') schema['default'] = Number(usual);
  if (typeof exclusiveMinimum === 'number') {
    delete schema['exclusiveMinimum'];
    schema['minimum'] = exclusiveMinimum + 1;
  }
  if (typeof maximum === 'number') {
    schema['format'] = maximum > mostOfInt32 ? 'int64' : 'int32';
  }
};

const wire = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  $defs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** All at once, so that a schema with an id is written once and referred to. */
const convert = (schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') => {
  const all = z.toJSONSchema(z.object(schemas), {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  const text = JSON.stringify(all).replaceAll('"#/$defs/', '"#/components/schemas/');
  return wire.parse(JSON.parse(text));
};

const withoutId = ({ id: _id, ...schema }: JsonSchema): JsonSchema => schema;

/**
 * Converts zod schemas to the JSON Schema of OpenAPI 3.1. A schema with `.meta({ id })` becomes a
 * component of that name, wherever it is used.
 * @throws Error for a name that stands for one thing in requests and for another in answers
 */
export const convertSchemas = (
  input: Readonly<Record<string, z.ZodType>>,
  output: Readonly<Record<string, z.ZodType>>,
): { input: Schemas; output: Schemas; components: Schemas } => {
  const [taken, given] = [convert(input, 'input'), convert(output, 'output')];
  const components: Record<string, JsonSchema> = {};
  for (const [name, schema] of [...Object.entries(given.$defs), ...Object.entries(taken.$defs)]) {
    const component = withoutId(schema);
    const known = components[name];
    if (known !== undefined && !isDeepStrictEqual(known, component)) {
      throw new Error(`the component ${name} is not the same in requests and in answers`);
    }
    components[name] = component;
  }
  const sorted = Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    input: taken.properties,
    output: given.properties,
    components: Object.fromEntries(sorted),
  };
};
