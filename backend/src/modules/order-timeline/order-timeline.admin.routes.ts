import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { allocationJob, findOrder } from '../orders/index.ts';
import { dispatchJob, findPayoutOfOrder } from '../payouts/index.ts';
import { readOrderTimeline } from './order-timeline.read-model.ts';
import { orderTimelineView, presentOrderTimelineEntry } from './order-timeline.schemas.ts';

/** Returns the keys of the jobs that may wait for an order. */
const jobKeysOf = async (db: Db, orderId: string): Promise<string[]> => {
  const payout = await findPayoutOfOrder(db, orderId);
  const jobs = [allocationJob(orderId), ...(payout === undefined ? [] : [dispatchJob(payout.id)])];
  return jobs.flatMap(({ key }) => key ?? []);
};

/** Declares `GET /orders/:id/timeline` (contract: operators > Order timeline). */
export const createOrderTimelineAdminRoutes = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/orders/:id/timeline',
    summary: 'Everything that happened to a gold order, oldest first',
    tags: ['orders'],
    access: anyAdmin,
    params: idParams,
    responses: { 200: orderTimelineView },
    handler: async ({ params: { id } }) => {
      if ((await findOrder(db, id)) === undefined) throw new AppError('NOT_FOUND');
      const entries = await readOrderTimeline(db, id, await jobKeysOf(db, id));
      return ok({ items: entries.map(presentOrderTimelineEntry) });
    },
  }),
];
