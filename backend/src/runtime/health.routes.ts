import { z } from 'zod';
import { defineRoute, ok, PUBLIC, type Route } from '../platform/http/index.ts';

/** `GET /health`: liveness, outside the rate limit. */
export const healthRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/health',
    summary: 'Liveness',
    tags: ['health'],
    access: PUBLIC,
    rateLimit: 'exempt',
    responses: { 200: z.object({ status: z.literal('ok') }) },
    handler: async () => ok({ status: 'ok' }),
  }),
];
