import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineRoute,
  ok,
  openApiDocument,
  pageOf,
  pageQuery,
  PUBLIC,
  type Route,
} from './index.ts';
import { guard, routes } from './testing/things-api.ts';

const info = { title: 'Things', version: '1.0.0', description: 'For the test', prefix: '/v1' };

const coin = z
  .object({ grams: z.string().regex(/^\d+$/u), count: z.int().positive() })
  .meta({ id: 'Coin', description: 'A coin.', examples: [{ grams: '8', count: 1 }] });

const coinRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/coins',
    summary: 'List',
    tags: ['coins'],
    access: PUBLIC,
    query: pageQuery,
    responses: { 200: pageOf(coin) },
    handler: async () => ok(undefined),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/coins/:id/owner',
    summary: 'Change',
    tags: ['coins'],
    access: PUBLIC,
    params: z.object({ id: z.uuid() }),
    body: z.object({ name: z.string().optional() }),
    responses: { 200: coin },
    handler: async () => ok(undefined),
  }),
];

describe('the OpenAPI document', () => {
  it('writes a named schema once and refers to it', () => {
    const { paths, components } = openApiDocument(info, coinRoutes, guard);
    expect(components.schemas).toMatchObject({
      Coin: { description: 'A coin.', examples: [{ grams: '8', count: 1 }], type: 'object' },
      CoinPage: { properties: { items: { items: { $ref: '#/components/schemas/Coin' } } } },
      Error: { type: 'object' },
    });
    const text = JSON.stringify(paths);
    expect(text).toContain('#/components/schemas/CoinPage');
    expect(text).not.toContain('"pattern":"^\\\\d+$"');
  });

  it('shows integers with their bounds and defaults', () => {
    const { paths, components } = openApiDocument(info, coinRoutes, guard);
    expect(paths['/v1/coins']?.['get']).toMatchObject({
      parameters: [
        { name: 'page', required: false, schema: { type: 'integer', minimum: 1, default: 1 } },
        {
          name: 'limit',
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        },
      ],
    });
    expect(components.schemas['Coin']).toMatchObject({
      properties: { count: { type: 'integer', minimum: 1 } },
    });
  });

  it('takes null for what a body may leave out', () => {
    const { paths } = openApiDocument(info, coinRoutes, guard);
    const name = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    expect(paths['/v1/coins/{id}/owner']?.['patch']).toMatchObject({
      requestBody: { content: { 'application/json': { schema: { properties: { name } } } } },
    });
  });

  it('names the files that a route may answer with beside its JSON', () => {
    const route = defineRoute({
      method: 'GET',
      path: '/coins',
      summary: 'List',
      tags: [],
      access: PUBLIC,
      responses: { 200: coin },
      produces: ['text/csv'],
      handler: async () => ok(undefined),
    });
    const { paths } = openApiDocument(info, [route], guard);
    expect(paths['/v1/coins']?.['get']).toMatchObject({
      responses: {
        200: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Coin' } },
            'text/csv': { schema: { type: 'string' } },
          },
        },
      },
    });
  });

  it('shows a literal whole number as an integer', () => {
    const free = z.object({ feePaise: z.literal(0) }).meta({ id: 'Free' });
    const route = defineRoute({
      method: 'GET',
      path: '/free',
      summary: 'Show',
      tags: [],
      access: PUBLIC,
      responses: { 200: free },
      handler: async () => ok({ feePaise: 0 }),
    });
    expect(openApiDocument(info, [route], guard).components.schemas['Free']).toMatchObject({
      properties: { feePaise: { type: 'integer', const: 0 } },
    });
  });

  it('names bodies, one that transforms and one of raw bytes, with their examples', () => {
    const examples = [{ count: '2' }];
    const body = z.object({ count: z.string().transform(Number) });
    const image = z.object({ dataBase64: z.string() }).meta({ id: 'ImageRequest' });
    const shared = { method: 'POST', summary: 'Make', tags: [], access: PUBLIC } as const;
    const made = [
      defineRoute({
        ...shared,
        path: '/coins',
        body: body.meta({ id: 'CoinsRequest', examples }),
        responses: { 200: coin },
        handler: async () => ok(undefined),
      }),
      defineRoute({
        ...shared,
        path: '/coins/image',
        rawBody: true,
        consumes: {
          description: 'An image.',
          content: [{ type: 'application/json', schema: image }, { type: 'text/plain' }],
        },
        responses: { 200: coin },
        handler: async () => ok(undefined),
      }),
    ];
    const { paths, components } = openApiDocument(info, made, guard);
    const postOf = (path: string) => paths[path]?.['post'];
    expect(components.schemas['CoinsRequest']).toMatchObject({
      properties: { count: { type: 'string' } },
      examples,
    });
    expect(postOf('/v1/coins')).toMatchObject({
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/CoinsRequest' } } },
      },
    });
    expect(postOf('/v1/coins/image')).toMatchObject({
      requestBody: {
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/ImageRequest' } },
          'text/plain': { schema: { type: 'string' } },
        },
      },
    });
  });

  it('has an id for each operation, and asks for a body only where one is needed', () => {
    const { paths } = openApiDocument(info, [...routes, ...coinRoutes], guard);
    expect(paths['/v1/coins/{id}/owner']?.['patch']).toMatchObject({
      operationId: 'patchCoinsByIdOwner',
      requestBody: { required: false },
    });
    expect(paths['/v1/things']?.['post']).toMatchObject({ requestBody: { required: true } });
    expect(paths['/v1/raw']?.['post']).toMatchObject({ requestBody: { required: true } });
  });

  it('refuses a tag that nobody describes, and a name for two things', () => {
    const tags = { things: 'Things.' };
    expect(() => openApiDocument({ ...info, tags }, coinRoutes, guard)).toThrow('"coins"');
    const other = z.object({ id: z.uuid() }).meta({ id: 'Coin' });
    const twice = defineRoute({
      method: 'POST',
      path: '/coins',
      summary: 'Make',
      tags: [],
      access: PUBLIC,
      body: other,
      responses: { 200: z.null() },
      handler: async () => ok(null),
    });
    expect(() => openApiDocument(info, [...coinRoutes, twice], guard)).toThrow('Coin');
  });
});
