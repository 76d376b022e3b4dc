import { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import {
  defineRoute,
  idInput,
  ok,
  pageOf,
  pageQuery,
  type Route,
} from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { listReviews, reviewKinds, type OpenReview } from './list-reviews.read-model.ts';

const reviewsQuery = pageQuery.extend({
  kind: z.enum(reviewKinds).optional(),
  userId: idInput.optional(),
  code: z
    .string()
    .regex(/^[A-Z_]{1,40}$/u, "must be a review's code")
    .optional(),
});

const reviewView = z.object({
  kind: z.enum(reviewKinds),
  id: z.uuid(),
  orderId: z.uuid().nullable(),
  userId: z.uuid().nullable(),
  code: z.string(),
  reason: z.string().nullable(),
  amountPaise: z.int().min(0),
  since: z.iso.datetime(),
  link: z.string().describe('The path of the order or payment to decide on.'),
});
reviewView.register(z.globalRegistry, {
  id: 'OpenReview',
  description: 'An order or payment that needs a decision by an operator.',
  examples: [
    {
      kind: 'SELL',
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      orderId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      code: 'SELL_UNKNOWN_OUTCOME',
      reason: 'The provider did not answer the confirm.',
      amountPaise: 70_500,
      since: '2026-01-15T09:30:00.000Z',
      link: '/orders/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
    },
  ],
});

const reviewPage = pageOf(reviewView);

const presentReview = (review: OpenReview) => ({
  ...review,
  amountPaise: toSafePaise(review.amountPaise),
  since: review.since.toISOString(),
  link: review.orderId === null ? `/payments/${review.id}` : `/orders/${review.orderId}`,
});

/** Declares `GET /reviews` of the admin API (contract: operators > Reviews). */
export const createReviewAdminRoutes = (deps: {
  readonly db: Db;
  readonly clock: Clock;
}): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/reviews',
    summary: 'Orders and payments that need a decision, oldest first',
    tags: ['orders'],
    access: anyAdmin,
    query: reviewsQuery,
    responses: { 200: reviewPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const at = { page, limit, now: deps.clock.now() };
      const { rows, total } = await listReviews(deps.db, filter, at);
      return ok({ items: rows.map(presentReview), total, page, limit });
    },
  }),
];
