import { z } from 'zod';

/** A JSON Schema as the documents write it. What is read of one is narrowed where it is read. */
export interface JsonSchema {
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema | undefined;
}

const schemaOfSchemas: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    pattern: z.string().optional(),
    format: z.string().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    anyOf: z.array(schemaOfSchemas).optional(),
    properties: z.record(z.string(), schemaOfSchemas).optional(),
    required: z.array(z.string()).optional(),
    items: schemaOfSchemas.optional(),
  }),
);

const operationSchema = z.looseObject({
  security: z.array(z.unknown()).default([]),
  parameters: z
    .array(z.looseObject({ in: z.string(), name: z.string(), schema: schemaOfSchemas }))
    .default([]),
  requestBody: z
    .looseObject({
      content: z.record(z.string(), z.looseObject({ schema: schemaOfSchemas })),
    })
    .optional(),
});

const documentSchema = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

const componentsSchema = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

/** The document with each reference to a component replaced by the component. */
const resolve = (document: unknown): unknown => {
  const { schemas } = componentsSchema.parse(document).components;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: ref, ...rest } = value as { $ref?: string }; // any object may have one
    const target = ref === undefined ? {} : visit(schemas[ref.replace(/^.*\//u, '')]);
    const own = Object.entries(rest).map(([name, inner]) => [name, visit(inner)]);
    return { ...(target as object), ...Object.fromEntries(own) };
  };
  return visit(document);
};

/** A route of an API, as the API's document describes it. */
export interface DocumentedRoute {
  readonly name: string;
  readonly method: string;
  /** With `{name}` parameters. */
  readonly path: string;
  readonly isPublic: boolean;
  readonly parameters: readonly { in: string; name: string; schema: JsonSchema }[];
  /** Undefined if it takes no JSON. */
  readonly body: JsonSchema | undefined;
}

/** Returns a schema without the null that stands for an absent member. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  const options = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (options === undefined) return schema;
  const { anyOf: _anyOf, ...own } = schema;
  return options.length === 1 ? { ...own, ...options[0] } : { ...own, anyOf: options };
};

/** Returns a body's schema in which the members that may be absent say what else they take. */
const membersOf = (body: JsonSchema): JsonSchema => ({
  ...body,
  properties: Object.fromEntries(
    Object.entries(body.properties ?? {}).map(([name, schema]) => [
      name,
      body.required?.includes(name) === true ? schema : withoutNull(schema),
    ]),
  ),
});

/** Every route of the document at `apiUrl`. */
export const readRoutes = async (apiUrl: string): Promise<DocumentedRoute[]> => {
  const response = await fetch(`${apiUrl}/docs/openapi.json`);
  const { paths } = documentSchema.parse(resolve(await response.json()));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, { security, parameters, requestBody }]) => {
      const body = requestBody?.content['application/json']?.schema;
      return {
        name: `${verb.toUpperCase()} ${path}`,
        method: verb.toUpperCase(),
        path,
        isPublic: security.length === 0,
        parameters,
        body: body && membersOf(body),
      };
    }),
  );
};

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const hasType = (type: string, value: unknown): boolean => {
  const is = typeOf(value);
  return is === type || (type === 'number' && is === 'integer');
};

const stringFits = (schema: JsonSchema, text: string): boolean =>
  text.length >= (schema.minLength ?? 0) &&
  text.length <= (schema.maxLength ?? Infinity) &&
  (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text));

const numberFits = (schema: JsonSchema, value: number): boolean =>
  value >= (schema.minimum ?? -Infinity) &&
  value <= (schema.maximum ?? Infinity) &&
  value > (schema.exclusiveMinimum ?? -Infinity);

/** Returns whether the published schema of a field accepts a value. */
export const fits = (schema: JsonSchema, value: unknown): boolean => {
  if (schema.anyOf !== undefined) return schema.anyOf.some((option) => fits(option, value));
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => hasType(type, value))) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (typeof value === 'string') return stringFits(schema, value);
  return typeof value === 'number' ? numberFits(schema, value) : true;
};

/** Returns whether a field takes any text, and no word, number or date alone. */
export const isFreeText = (schema: JsonSchema): boolean =>
  schema.anyOf === undefined
    ? schema.type === 'string' &&
      schema.enum === undefined &&
      schema.pattern === undefined &&
      schema.format === undefined
    : schema.anyOf.some(isFreeText);

/** Returns whether the published schema of a parameter accepts a text. Numbers come as text too. */
export const textFits = (schema: JsonSchema, text: string): boolean =>
  schema.type === 'integer'
    ? /^-?\d+$/u.test(text) && fits(schema, Number(text))
    : fits(schema, text);
