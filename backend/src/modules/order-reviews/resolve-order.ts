import type { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';
import { findOrder } from '../orders/index.ts';
import type { resolveBody, ResolutionName } from './order-reviews.schemas.ts';
import { isUnderReview, noFit, type Resolve } from './resolution.ts';

/** The resolutions by name; each fits sales or purchases alone. */
type Resolutions = Readonly<Record<ResolutionName, Resolve>>;

const isForSales: Readonly<Record<ResolutionName, boolean>> = {
  ALLOCATE: false,
  REFUNDED: false,
  KEEP: false,
  RECOVER: false,
  CONFIRM_SELL: true,
  RELEASE_SELL: true,
};

export interface ResolveOrderDeps {
  readonly db: Db;
  readonly audit: Auditor;
  readonly resolutions: Resolutions;
}

interface ResolveRequest {
  readonly orderId: string;
  readonly body: z.output<typeof resolveBody>;
  readonly adminId: string;
  /** The operator and the request, for the audit. */
  readonly operator: Pick<AuditEntry, 'actor' | 'requestId' | 'ip'>;
}

/**
 * Ends the manual review of an order as an operator asks (contract: states > Resolutions); the
 * audit row is written in the transaction that changes the order.
 * @throws AppError NOT_FOUND; ILLEGAL_TRANSITION where the resolution does not fit the order
 */
export const resolveOrder = async (
  { db, audit, resolutions }: ResolveOrderDeps,
  { orderId, body, adminId, operator }: ResolveRequest,
): Promise<void> => {
  const order = await findOrder(db, orderId);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const { resolution, reference, note } = body;
  if (!isUnderReview(order)) throw noFit('The order is not under review.', order);
  if (isForSales[resolution] !== (order.type === 'SELL')) {
    throw noFit(`${resolution} does not fit an order of type ${order.type}.`);
  }
  const detail: JsonObject = {
    resolution,
    ...(reference !== undefined && { reference }),
  };
  await resolutions[resolution](order, {
    orderId,
    resolution,
    reference,
    note,
    by: { actor: `admin:${adminId}`, requestId: operator.requestId, detail },
    audit: async (tx, before) => {
      const after = await findOrder(tx, orderId);
      await audit.record(tx, {
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
