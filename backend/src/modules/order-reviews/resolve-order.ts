import type { z } from 'zod';
import { AppError } from '../../platform/errors/app-error.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';
import { findOrder } from '../orders/index.ts';
import type { resolveBody, ResolutionName } from './order-reviews.schemas.ts';
import { isUnderReview, illegalTransition, type Resolve, type ReviewDeps } from './resolution.ts';
import { resolveAllocate } from './resolve-allocate.ts';
import { resolveKeep } from './resolve-keep.ts';
import { resolveRecover } from './resolve-recover.ts';
import { resolveRefunded } from './resolve-refunded.ts';
import { resolveConfirmSell, resolveReleaseSell } from './resolve-sale.ts';

/** The resolutions by name. Each applies either to sales or to purchases. */
const resolutions: Readonly<
  Record<ResolutionName, { readonly resolve: Resolve; readonly isForSales: boolean }>
> = {
  ALLOCATE: { resolve: resolveAllocate, isForSales: false },
  REFUNDED: { resolve: resolveRefunded, isForSales: false },
  KEEP: { resolve: resolveKeep, isForSales: false },
  RECOVER: { resolve: resolveRecover, isForSales: false },
  CONFIRM_SELL: { resolve: resolveConfirmSell, isForSales: true },
  RELEASE_SELL: { resolve: resolveReleaseSell, isForSales: true },
};

export interface ResolveOrderDeps extends ReviewDeps {
  readonly audit: Auditor;
}

interface ResolveRequest {
  readonly orderId: string;
  readonly body: z.output<typeof resolveBody>;
  readonly adminId: string;
  /** The operator and the request, for the audit. */
  readonly operator: Pick<AuditEntry, 'actor' | 'requestId' | 'ip'>;
}

/**
 * Ends the manual review of an order with an operator's resolution (contract: states >
 * Resolutions). The audit row is written in the transaction that changes the order.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the resolution does not fit the order
 */
export const resolveOrder = async (
  deps: ResolveOrderDeps,
  { orderId, body, adminId, operator }: ResolveRequest,
): Promise<void> => {
  const order = await findOrder(deps.db, orderId);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const { resolution, reference, note } = body;
  if (!isUnderReview(order)) throw illegalTransition('The order is not under review.', order);
  const { resolve, isForSales } = resolutions[resolution];
  if (isForSales !== (order.type === 'SELL')) {
    throw illegalTransition(`${resolution} does not fit an order of type ${order.type}.`);
  }
  const detail: JsonObject = {
    resolution,
    ...(reference !== undefined && { reference }),
  };
  await resolve(deps, order, {
    orderId,
    resolution,
    reference,
    note,
    by: { actor: `admin:${adminId}`, requestId: operator.requestId, detail },
    audit: async (tx, before) => {
      const after = await findOrder(tx, orderId);
      await deps.audit.record(tx, {
        ...operator,
        action: 'order.resolve',
        target: { type: 'gold_order', id: orderId },
        before: { status: before.status, manual_review_code: before.manualReviewCode },
        after: { status: after?.status ?? null, ...detail },
        ...(note !== undefined && { sealed: { after: { note } }, sealedFor: before.userId }),
      });
    },
  });
};
