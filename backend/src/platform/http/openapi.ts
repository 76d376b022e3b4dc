import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { errorTable, type ErrorCode } from '../errors/error-table.ts';
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

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const errorsOf = (route: Route): ErrorCode[] => [
  'INTERNAL',
  ...(route.rateLimit === 'exempt' ? [] : (['RATE_LIMITED'] as const)),
  ...(route.access.kind === 'public' ? [] : (['UNAUTHENTICATED'] as const)),
  ...(route.access.kind === 'roles' ? (['FORBIDDEN'] as const) : []),
  ...(route.access.kind === 'permission' ? (['PERMISSION_DENIED'] as const) : []),
  ...(route.access.write === true ? (['READ_ONLY_MODE'] as const) : []),
  ...(route.params === undefined ? [] : (['NOT_FOUND'] as const)),
  ...(route.query === undefined && route.body === undefined
    ? []
    : (['VALIDATION_FAILED'] as const)),
  ...(route.body === undefined
    ? []
    : (['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  ...(route.errors ?? []),
];

const errorResponses = (route: Route) => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(errorsOf(route))) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, codes]) => [
    status,
    { description: codes.join(', '), content: json(errorSchema) },
  ]);
  return Object.fromEntries(entries) as Record<string, { description: string }>; // its entries
};

const successResponses = (route: Route) =>
  Object.fromEntries(
    Object.entries(route.responses).map(([status, schema]) => [
      status,
      { description: 'Success', ...(schema !== null && { content: json(schema) }) },
    ]),
  );

const objectOrNone = (schema: z.ZodType | undefined) =>
  schema instanceof z.ZodObject ? schema : undefined;

/** The OpenAPI 3.1 document of `routes`, made from the schemas that validate the requests. */
export const openApiDocument = (info: ApiInfo, routes: readonly Route[], guard: Guard) => {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', guard.schemeName, guard.scheme);
  for (const route of routes) {
    const params = objectOrNone(route.params);
    const query = objectOrNone(route.query);
    registry.registerPath({
      method: route.method.toLowerCase() as Lowercase<Route['method']>, // the same words
      path: info.prefix + route.path.replaceAll(/:(\w+)/gu, '{$1}'),
      summary: route.summary,
      tags: [...route.tags],
      security: route.access.kind === 'public' ? [] : [{ [guard.schemeName]: [] }],
      request: {
        ...(params !== undefined && { params }),
        ...(query !== undefined && { query }),
        ...(route.body !== undefined && {
          body: { required: true, content: json(route.body) },
        }),
      },
      responses: { ...successResponses(route), ...errorResponses(route) },
      ...(route.access.roles !== undefined && {
        description: `Roles: ${route.access.roles.join(', ')}.`,
      }),
      ...(route.access.permission !== undefined && {
        description: `Permission: ${route.access.permission}.`,
      }),
    });
  }
  const { title, version, description } = info;
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title, version, description },
  });
};
