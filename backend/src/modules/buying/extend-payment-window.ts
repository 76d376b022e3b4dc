import { addMs } from '../../platform/clock/clock.ts';
import { lockOrder, extendInstallmentExpiry } from '../orders/index.ts';
import { findPaymentOrder, isRefusedByEveryGateway, extendExpiry } from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';

/** The time in ms to pay an installment, from its creation or from the due time of its debit. */
export const paymentWindowMs = 72 * 3_600_000;

/** The deadline is extended only if it moves by at least this time in ms. */
const shortestExtensionMs = 600_000;

/**
 * Begins the 72 h of an installment again, because a gateway or a closed gate deferred its checkout
 * or debit (contract: plans > Schedule). If every gateway refused the order, the deadline does not
 * change. The installment then fails, so that its customer can act.
 */
export const extendPaymentWindow = async (
  { db, inTransaction, clock }: Pick<GoldBase, 'db' | 'inTransaction' | 'clock'>,
  paymentOrderId: string,
): Promise<void> => {
  const paymentOrder = await findPaymentOrder(db, paymentOrderId);
  const expiresAt = addMs(clock.now(), paymentWindowMs);
  const isDeferred =
    paymentOrder?.expiresAt !== undefined &&
    paymentOrder.expiresAt !== null &&
    paymentOrder.expiresAt < addMs(expiresAt, -shortestExtensionMs);
  if (!isDeferred || (await isRefusedByEveryGateway(db, paymentOrderId))) return;
  await inTransaction(async (tx) => {
    const order = await lockOrder(tx, paymentOrder.orderId);
    if (order?.status !== 'PENDING') return;
    const now = clock.now();
    const isExtended = await extendExpiry(tx, paymentOrderId, expiresAt, now);
    if (isExtended) await extendInstallmentExpiry(tx, order.id, expiresAt, now);
  });
};
