import { z } from 'zod';
import { AppError } from '../../errors/app-error.ts';
import {
  created,
  defineIdempotentRoute,
  defineRoute,
  idParams,
  ok,
  pageQuery,
  PUBLIC,
  requireRoles,
  signedIn,
  type Guard,
  type Route,
} from '../index.ts';

interface Caller {
  readonly name: string;
}

/** Uses the token as the caller's name, and the name as a role. */
export const guard: Guard = {
  schemeName: 'bearer',
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  admit: async (req, access) => {
    const name = /^Bearer (.+)$/u.exec(req.get('authorization') ?? '')?.[1];
    if (name === undefined) throw new AppError('UNAUTHENTICATED');
    if (access.kind === 'roles' && access.roles?.includes(name) !== true) {
      throw new AppError('FORBIDDEN');
    }
    return { name };
  },
};

const thing = z.object({
  name: z.string().max(10),
  unit: z.enum(['INR', 'GRAMS']),
  nested: z.object({ count: z.int().min(1) }).optional(),
});

/** One route of each kind that the kernel supports. */
export const routes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/things',
    summary: 'Make a thing',
    tags: ['things'],
    access: signedIn<Caller>(),
    body: thing,
    bodyLimitBytes: 1000,
    responses: { 201: thing.extend({ by: z.string() }) },
    handler: async ({ body, principal }) => created({ ...body, by: principal.name }),
  }),
  defineRoute({
    method: 'GET',
    path: '/things',
    summary: 'List',
    tags: ['things'],
    access: PUBLIC,
    query: pageQuery,
    responses: { 200: z.object({ page: z.int(), limit: z.int() }) },
    handler: async ({ query }) => ok(query),
  }),
  defineRoute({
    method: 'GET',
    path: '/things/:id',
    summary: 'One',
    tags: ['things'],
    access: PUBLIC,
    params: idParams,
    responses: { 200: z.object({ id: z.uuid() }) },
    handler: async ({ params }) => ok(params),
  }),
  defineRoute({
    method: 'POST',
    path: '/things/latest',
    summary: 'A path that another route has with a parameter',
    tags: ['things'],
    access: PUBLIC,
    responses: { 200: z.null() },
    handler: async () => ok(null),
  }),
  defineIdempotentRoute({
    method: 'POST',
    path: '/gated',
    summary: 'A gate before validation',
    tags: ['things'],
    access: PUBLIC,
    body: z.object({ name: z.string() }),
    responses: { 200: z.null() },
    errors: ['SELL_DISABLED'],
    idempotent: {
      keys: {
        findReplay: async ({ key }) => (key === 'again' ? 'made before' : undefined),
        run: () => Promise.reject(new Error('its gate is closed')),
      },
      operation: 'gated',
      owner: () => 'anyone',
      key: ({ name }) => name,
      payload: () => ({}),
      replay: async () => ok(null),
      gate: async () => {
        throw new AppError('SELL_DISABLED');
      },
    },
    handler: async () => ok(null),
  }),
  defineRoute({
    method: 'GET',
    path: '/leaky',
    summary: 'Answers what it never declared',
    tags: ['things'],
    access: requireRoles<Caller>('boss'),
    responses: { 200: z.object({ fine: z.string() }) },
    handler: async () => ok({ fine: 1 }),
  }),
  defineRoute({
    method: 'POST',
    path: '/raw',
    summary: 'The exact bytes',
    tags: ['things'],
    access: PUBLIC,
    rawBody: true,
    rateLimit: 'exempt',
    responses: { 200: z.object({ hex: z.string() }) },
    bodyLimitBytes: 100_000,
    handler: async ({ rawBody }) => ok({ hex: rawBody.toString('hex') }),
  }),
  defineRoute({
    method: 'POST',
    path: '/signed',
    summary: 'Bytes that say that they are signed',
    tags: ['things'],
    access: PUBLIC,
    rawBody: true,
    rateLimit: 'exempt',
    isSigned: true,
    responses: { 200: z.null() },
    errors: ['INVALID_SIGNATURE'],
    handler: async ({ rawBody }) => {
      if (rawBody.toString() !== 'signed') throw new AppError('INVALID_SIGNATURE');
      return ok(null);
    },
  }),
];
