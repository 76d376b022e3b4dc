import { z } from 'zod';
import { errorTable, type ErrorCode } from '../../errors/error-table.ts';
import type { Guard } from './guard.ts';
import { errorSchema } from './pagination.ts';
import type { Route } from './route.ts';

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Such as `/v1`. */
  readonly prefix: string;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** OpenAPI 3.1 speaks JSON Schema 2020-12, which is what zod writes of a schema. */
const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const content = (schema: JsonSchema) => ({ 'application/json': { schema } });
const errorRef = { $ref: '#/components/schemas/Error' };

const codesWhen = (isSo: boolean, ...codes: readonly ErrorCode[]) => (isSo ? codes : []);

const errorsOf = (route: Route): ErrorCode[] => {
  const { access, params, query, body } = route;
  return [
    'INTERNAL',
    ...codesWhen(route.rateLimit !== 'exempt', 'RATE_LIMITED'),
    ...codesWhen(access.kind !== 'public', 'UNAUTHENTICATED'),
    ...codesWhen(access.kind === 'roles', 'FORBIDDEN'),
    ...codesWhen(access.kind === 'permission', 'PERMISSION_DENIED'),
    ...codesWhen(access.write === true, 'READ_ONLY_MODE'),
    ...codesWhen(params !== undefined, 'NOT_FOUND'),
    ...codesWhen(query !== undefined || body !== undefined, 'VALIDATION_FAILED'),
    ...codesWhen(body !== undefined, 'MALFORMED_JSON', 'PAYLOAD_TOO_LARGE'),
    ...codesWhen(body !== undefined, 'UNSUPPORTED_MEDIA_TYPE'),
    ...(route.errors ?? []),
  ];
};

const errorResponses = (route: Route) => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(errorsOf(route))) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, codes]) => [
    String(status),
    { description: codes.join(', '), content: content(errorRef) },
  ]);
  return Object.fromEntries(entries) as Record<string, JsonSchema>; // exactly these entries
};

const successResponses = (route: Route) =>
  Object.fromEntries(
    Object.entries(route.responses).map(([status, schema]) => [
      status,
      {
        description: 'Success',
        ...(schema !== null && { content: content(jsonSchema(schema, 'output')) }),
      },
    ]),
  );

const objectShape = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

const parametersOf = (schema: z.ZodType | undefined, place: 'path' | 'query') => {
  if (schema === undefined) return [];
  const { properties, required } = objectShape.parse(jsonSchema(schema, 'input'));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
};

const requestBodyOf = (route: Route) => {
  if (route.rawBody === true) {
    return { requestBody: { required: true, content: { '*/*': { schema: {} } } } };
  }
  if (route.body === undefined) return {};
  return {
    requestBody: { required: true, content: content(jsonSchema(route.body, 'input')) },
  };
};

const describeAccess = ({ access }: Route): string | undefined => {
  if (access.roles !== undefined) return `Roles: ${access.roles.join(', ')}.`;
  return access.permission === undefined ? undefined : `Permission: ${access.permission}.`;
};

const operationOf = (route: Route, guard: Guard) => {
  const description = describeAccess(route);
  return {
    summary: route.summary,
    ...(description !== undefined && { description }),
    tags: route.tags,
    security: route.access.kind === 'public' ? [] : [{ [guard.schemeName]: [] }],
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    ...requestBodyOf(route),
    responses: { ...successResponses(route), ...errorResponses(route) },
  };
};

/** The OpenAPI 3.1 document of `routes`, made from the schemas that validate the requests. */
export const openApiDocument = (info: ApiInfo, routes: readonly Route[], guard: Guard) => {
  const { title, version, description, prefix } = info;
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = prefix + route.path.replaceAll(/:(\w+)/gu, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, guard) };
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    paths,
    components: {
      schemas: { Error: jsonSchema(errorSchema, 'output') },
      securitySchemes: { [guard.schemeName]: guard.scheme },
    },
  };
};
