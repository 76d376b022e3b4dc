import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { errorTable, type ErrorCode } from '../../errors/error-table.ts';
import type { Guard } from './access.ts';
import { errorSchema } from './schema-parts.ts';
import { declaredErrors, type Route } from './route.ts';

type JsonSchema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Formats whose patterns are left out. The pattern would only repeat the format, in an expression
 * that few other languages can read.
 */
const selfExplaining = new Set(['uuid', 'date-time', 'date', 'email', 'uri']);

const maxInt32 = 2 ** 31 - 1;

/** Rewrites the parts of zod's output that other languages' tools read badly. */
const tidy = (schema: Record<string, unknown>): void => {
  // Responses may gain fields, so a client must accept fields that it does not know.
  if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
  if (selfExplaining.has(String(schema['format']))) delete schema['pattern'];
  // The library writes a literal whole number as any number.
  if (schema['type'] === 'number' && Number.isInteger(schema['const'])) schema['type'] = 'integer';
  if (schema['type'] !== 'integer') return;
  const { exclusiveMinimum, maximum, default: usual } = schema;
  // A parameter is read as text, and so is its default.
  if (typeof usual === 'string') schema['default'] = Number(usual);
  if (typeof exclusiveMinimum === 'number') {
    delete schema['exclusiveMinimum'];
    schema['minimum'] = exclusiveMinimum + 1;
  }
  if (typeof maximum === 'number') {
    schema['format'] = maximum > maxInt32 ? 'int64' : 'int32';
  }
};

/**
 * Returns the examples of a named schema. The library leaves out the examples of a schema with a
 * transformation, because it takes them for the transformed value. Here they are the values that a
 * client sends.
 */
const examplesOf = (schema: z.core.$ZodType): { examples?: unknown } => {
  const { id, examples } = z.globalRegistry.get(schema) ?? {};
  return id === undefined || examples === undefined ? {} : { examples };
};

const wire = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  $defs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** Converts all schemas at once, so that a schema with an id is written once and referred to. */
const convert = (schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') => {
  const converted = z.toJSONSchema(z.object(schemas), {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      tidy(jsonSchema);
      Object.assign(jsonSchema, examplesOf(zodSchema));
    },
  });
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
  return wire.parse(JSON.parse(text));
};

const members = z.object({
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).default([]),
});

/** Makes a schema also accept null. */
const orNull = (schema: JsonSchema): JsonSchema => {
  const { description, ...bare } = schema;
  const isOpen = Object.keys(bare).length === 0;
  if (isOpen || JSON.stringify(bare).includes('"type":"null"')) return schema;
  return { ...(description !== undefined && { description }), anyOf: [bare, { type: 'null' }] };
};

/**
 * Makes the schema of a body accept null wherever a member may be absent, since the kernel reads
 * both alike (contract: conventions > Validation). Named schemas are converted separately.
 */
const withNulls = (schema: JsonSchema): JsonSchema => {
  const parsed = members.safeParse(schema);
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'properties' && parsed.success) {
      const { properties = {}, required } = parsed.data;
      const written = Object.entries(properties).map(([name, property]) => {
        const inner = withNulls(property);
        return [name, required.includes(name) ? inner : orNull(inner)];
      });
      return [key, Object.fromEntries(written)];
    }
    const list = z.array(z.looseObject({})).safeParse(value);
    if (['anyOf', 'oneOf', 'allOf'].includes(key) && list.success) {
      return [key, list.data.map(withNulls)];
    }
    const single = z.looseObject({}).safeParse(value);
    return [key, key === 'items' && single.success ? withNulls(single.data) : value];
  });
  return Object.fromEntries(entries);
};

const withoutId = ({ id: _id, ...schema }: JsonSchema): JsonSchema => schema;

/** Lets bodies contain null. Paths and queries are texts, which have no null. */
const bodyOf = (name: string, schema: JsonSchema): JsonSchema =>
  / (?:params|query)$/u.test(name) ? schema : withNulls(schema);

/**
 * Converts zod schemas to the JSON Schema of OpenAPI 3.1. A schema with `.meta({ id })` becomes a
 * component of that name, wherever it is used.
 * @throws Error for a name with one meaning in requests and another in responses
 */
const convertSchemas = (
  input: Readonly<Record<string, z.ZodType>>,
  output: Readonly<Record<string, z.ZodType>>,
): { input: Schemas; output: Schemas; components: Schemas } => {
  const [requests, responses] = [convert(input, 'input'), convert(output, 'output')];
  const components: Record<string, JsonSchema> = {};
  const onlyInRequests = new Set(
    Object.keys(requests.$defs).filter((name) => responses.$defs[name] === undefined),
  );
  for (const [name, schema] of [
    ...Object.entries(responses.$defs),
    ...Object.entries(requests.$defs),
  ]) {
    const component = onlyInRequests.has(name) ? withNulls(withoutId(schema)) : withoutId(schema);
    const known = components[name];
    if (known !== undefined && !isDeepStrictEqual(known, component)) {
      throw new Error(`the component ${name} is not the same in requests and in answers`);
    }
    components[name] = component;
  }
  const sorted = Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    input: Object.fromEntries(
      Object.entries(requests.properties).map(([name, schema]) => [name, bodyOf(name, schema)]),
    ),
    output: responses.properties,
    components: Object.fromEntries(sorted),
  };
};

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The beginning of every path, such as `/v1`. */
  readonly prefix: string;
  /** The description of each tag. A route must not have another tag. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly contact?: { readonly name: string };
  /** An SPDX identifier. */
  readonly license?: string;
}

/** The rules of every path. They are described once, so that no operation repeats them. */
const conventions = `
Errors have the body \`Error\`: branch on its \`code\`, which is stable, and not on its \`message\`.
Every response has an \`x-request-id\` header, which is also in the body of an error.

A path that is not listed returns 404 \`NOT_FOUND\`. A listed path that has GET also has HEAD. Every
other method that is not listed returns 405 \`METHOD_NOT_ALLOWED\` with an \`Allow\` header. This
includes OPTIONS, except for a CORS preflight (\`Access-Control-Request-Method\`), which returns 204.

Rate-limited responses have the headers \`RateLimit\` and \`RateLimit-Policy\`; a 429 has
\`Retry-After\` in seconds.`;

const content = (schema: JsonSchema) => ({ 'application/json': { schema } });
const errorRef = { $ref: '#/components/schemas/Error' };

const errorResponses = (route: Route) => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of declaredErrors(route)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, codes]) => [
    String(status),
    { description: codes.join(', '), content: content(errorRef) },
  ]);
  return Object.fromEntries(entries) as Record<string, JsonSchema>; // exactly these entries
};

/**
 * Returns the id of an operation, such as `getGoldOrdersById` for `GET /gold/orders/:id`. It is
 * unique because method and path are.
 */
const operationIdOf = ({ method, path }: Route): string => {
  const words = path.replaceAll('/:', '/by-').split(/[^A-Za-z0-9]+/u);
  const capitalised = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + capitalised.join('');
};

/** Collects the schemas of all routes, each under a separate name. */
const collectSchemas = (routes: readonly Route[]) => {
  const input: Record<string, z.ZodType> = {};
  const output: Record<string, z.ZodType> = { error: errorSchema };
  for (const route of routes) {
    const id = operationIdOf(route);
    for (const place of ['params', 'query', 'body'] as const) {
      const schema = route[place];
      if (schema !== undefined) input[`${id} ${place}`] = schema;
    }
    for (const { type, schema } of route.consumes?.content ?? []) {
      if (schema !== undefined) input[`${id} ${type}`] = schema;
    }
    for (const [status, schema] of Object.entries(route.responses)) {
      if (schema !== null) output[`${id} ${status}`] = schema;
    }
  }
  return { input, output };
};

const successNames: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  304: 'Not modified',
};

const objectShape = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

const parametersOf = (schema: JsonSchema | undefined, place: 'path' | 'query') => {
  const { properties, required } = objectShape.parse(schema ?? {});
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }));
};

/**
 * Returns the content of a success, which is JSON, and for a 200 also the types that the route
 * produces.
 */
const contentOf = ({ produces = [] }: Route, status: string, schema: JsonSchema | undefined) => {
  const files = status === '200' ? produces : [];
  if (schema === undefined && files.length === 0) return undefined;
  const types = files.map((type) => [type, { schema: { type: 'string' } }]);
  return { ...(schema && content(schema)), ...Object.fromEntries(types) };
};

/**
 * Describes the request body. It is required if `{}`, as which a missing body is read, is invalid.
 */
const requestBodyOf = (route: Route, input: Schemas) => {
  const operationId = operationIdOf(route);
  if (route.rawBody === true) {
    if (route.consumes !== undefined) {
      const types = route.consumes.content.map(({ type }) => [
        type,
        { schema: input[`${operationId} ${type}`] ?? { type: 'string' } },
      ]);
      const { description } = route.consumes;
      return { requestBody: { description, required: true, content: Object.fromEntries(types) } };
    }
    const description =
      'The exact bytes that the signature covers. The sender defines their format.';
    return { requestBody: { description, required: true, content: { '*/*': { schema: {} } } } };
  }
  const schema = input[`${operationId} body`];
  if (route.body === undefined || schema === undefined) return {};
  const required = !route.body.safeParse({}).success;
  return { requestBody: { required, content: content(schema) } };
};

const describeAccess = ({ access }: Route): string | undefined => {
  if (access.roles !== undefined) return `Roles: ${access.roles.join(', ')}.`;
  return access.permission === undefined ? undefined : `Permission: ${access.permission}.`;
};

const operationOf = (route: Route, guard: Guard, input: Schemas, output: Schemas) => {
  const operationId = operationIdOf(route);
  const description = describeAccess(route);
  const successes = Object.keys(route.responses).map((status) => {
    const schema = output[`${operationId} ${status}`];
    const name = successNames[status] ?? 'Success';
    const body = contentOf(route, status, schema);
    return [status, { description: name, ...(body && { content: body }) }];
  });
  return {
    operationId,
    summary: route.summary,
    ...(description !== undefined && { description }),
    tags: route.tags,
    security: route.access.kind === 'public' ? [] : [{ [guard.schemeName]: [] }],
    parameters: [
      ...parametersOf(input[`${operationId} params`], 'path'),
      ...parametersOf(input[`${operationId} query`], 'query'),
    ],
    ...requestBodyOf(route, input),
    responses: { ...Object.fromEntries(successes), ...errorResponses(route) },
  };
};

/**
 * Returns the declared tags.
 * @throws Error for a route with an undescribed tag
 */
const tagsOf = ({ tags }: ApiInfo, routes: readonly Route[]) => {
  if (tags === undefined) return {};
  const used = new Set(routes.flatMap((route) => route.tags));
  const undescribed = [...used].find((name) => tags[name] === undefined);
  if (undescribed !== undefined) throw new Error(`the tag "${undescribed}" has no description`);
  return {
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  };
};

/** Makes the OpenAPI 3.1 document of `routes` from the schemas that validate the requests. */
export const openApiDocument = (info: ApiInfo, routes: readonly Route[], guard: Guard) => {
  const { title, version, description, prefix, contact, license } = info;
  const collected = collectSchemas(routes);
  const { input, output, components } = convertSchemas(collected.input, collected.output);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = prefix + route.path.replaceAll(/:(\w+)/gu, '{$1}');
    const operation = operationOf(route, guard, input, output);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: `${description}\n${conventions}`,
      ...(contact !== undefined && { contact }),
      ...(license !== undefined && { license: { name: license, identifier: license } }),
    },
    servers: [{ url: '/', description: 'The host that serves this document' }],
    ...tagsOf(info, routes),
    paths,
    components: { schemas: components, securitySchemes: { [guard.schemeName]: guard.scheme } },
  };
};
