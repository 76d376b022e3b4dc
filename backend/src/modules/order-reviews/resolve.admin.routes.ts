import { AppError } from '../../platform/errors/app-error.ts';
import type { Db } from '../../platform/db/index.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import { adminAccess, adminActor } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { findOrder } from '../orders/index.ts';
import { isUnderReview, noFit } from './no-fit.ts';
import { resolveBody, type ResolutionName } from './resolve.schemas.ts';
import type { Resolution, Resolve } from './resolve.types.ts';
import { adminOrderView, type ShowOrder } from './show-order.ts';

const isForSells: Readonly<Record<ResolutionName, boolean>> = {
  ALLOCATE: false,
  REFUNDED: false,
  KEEP: false,
  CONFIRM_SELL: true,
  RELEASE_SELL: true,
};

/** `POST /orders/:id/resolve` of the admin API: the way out of a manual review. */
export const createResolveRoutes = (options: {
  readonly db: Db;
  readonly audit: Auditor;
  readonly resolve: Readonly<Record<ResolutionName, Resolve>>;
  readonly showOrder: ShowOrder;
}): Route[] => {
  const { db, audit, resolve, showOrder } = options;
  return [
    defineRoute({
      method: 'POST',
      path: '/orders/:id/resolve',
      summary: 'End the manual review of a gold order',
      tags: ['orders'],
      access: adminAccess('SUPER_ADMIN'),
      params: idParams,
      body: resolveBody,
      responses: { 200: adminOrderView },
      errors: [
        'ILLEGAL_TRANSITION',
        'OUTCOME_UNDECIDED',
        'SERVICE_UNAVAILABLE',
        'PRICE_UNAVAILABLE',
        'PROVIDER_UNAVAILABLE',
        'PROVIDER_REFUSED',
        'PROVIDER_MISMATCH',
      ],
      handler: async ({ params: { id }, body, principal, context }) => {
        const order = await findOrder(db, id);
        if (order === undefined) throw new AppError('NOT_FOUND');
        const { resolution, reference, note } = body;
        const isFit = isForSells[resolution] === (order.type === 'SELL');
        if (!isUnderReview(order)) throw noFit('The order is not under review.');
        if (!isFit) throw noFit(`${resolution} does not fit an order of type ${order.type}.`);
        const given: JsonObject = {
          resolution,
          ...(reference !== undefined && { reference }),
          ...(note !== undefined && { note }),
        };
        const asked: Resolution = {
          orderId: id,
          resolution,
          reference,
          note,
          by: {
            actor: `admin:${principal.adminId}`,
            requestId: context.requestId,
            detail: given,
          },
          audit: async (tx, before) => {
            const after = await findOrder(tx, id);
            await audit.record(tx, {
              ...adminActor(principal, context),
              action: 'order.resolve',
              target: { type: 'gold_order', id },
              before: { status: before.status, manual_review_code: before.manualReviewCode },
              after: { status: after?.status ?? null, ...given },
            });
          },
        };
        await resolve[resolution](order, asked);
        return ok(await showOrder(id));
      },
    }),
  ];
};
