import { addMs } from '../../platform/clock/clock.ts';
import { lockOrder, extendInstallmentExpiry } from '../orders/index.ts';
import { findPaymentOrder, isRefusedByEveryGateway, extendExpiry } from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';

/** The time in ms to pay an installment, from its creation or from the due time of its debit. */
export const paymentWindowMs = 72 * 3_600_000;

/** The time in ms by which a deadline must move for an installment to count as deferred. */
const deferredMs = 600_000;

/**
 * Restarts the 72 h of an installment whose checkout or debit was deferred by a gateway or a closed
 * gate. If every gateway refused the order, the deadline stays, so that the installment fails and
 * its customer can act (contract: plans > Schedule).
 */
export const extendPaymentWindow = async (
  { db, inTransaction, clock }: Pick<GoldBase, 'db' | 'inTransaction' | 'clock'>,
  paymentOrderId: string,
): Promise<void> => {
  const found = await findPaymentOrder(db, paymentOrderId);
  const expiresAt = addMs(clock.now(), paymentWindowMs);
  const isDeferred =
    found?.expiresAt !== undefined &&
    found.expiresAt !== null &&
    found.expiresAt < addMs(expiresAt, -deferredMs);
  if (!isDeferred || (await isRefusedByEveryGateway(db, paymentOrderId))) return;
  await inTransaction(async (tx) => {
    const order = await lockOrder(tx, found.orderId);
    if (order?.status !== 'PENDING') return;
    const now = clock.now();
    const isExtended = await extendExpiry(tx, paymentOrderId, expiresAt, now);
    if (isExtended) await extendInstallmentExpiry(tx, order.id, expiresAt, now);
  });
};
