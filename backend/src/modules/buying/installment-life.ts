import { addMs } from '../../platform/clock/clock.ts';
import { lockOrder, postponeInstallment } from '../orders/index.ts';
import { findPaymentOrder, isTurnedDownEverywhere, postponeExpiry } from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';

/** An installment may be paid for so long after it was raised, or after its debit was due. */
export const installmentLifeMs = 72 * 3_600_000;

/** An installment whose gateway answers at once keeps the end that it was raised with. */
const deferredMs = 600_000;

/**
 * Renews an installment's 72 h before it is first asked for: one that a gateway or a closed gate
 * has deferred has its whole time from then on. One that every gateway has turned down is not
 * deferred: its 72 h go on, so that it fails and its customer can act (contract: plans >
 * Schedule).
 */
export const renewInstallmentLife = async (
  { db, inTransaction, clock }: Pick<GoldBase, 'db' | 'inTransaction' | 'clock'>,
  paymentOrderId: string,
): Promise<void> => {
  const found = await findPaymentOrder(db, paymentOrderId);
  const expiresAt = addMs(clock.now(), installmentLifeMs);
  const isDeferred =
    found?.expiresAt !== undefined &&
    found.expiresAt !== null &&
    found.expiresAt < addMs(expiresAt, -deferredMs);
  if (!isDeferred || (await isTurnedDownEverywhere(db, paymentOrderId))) return;
  await inTransaction(async (tx) => {
    const order = await lockOrder(tx, found.orderId);
    if (order?.status !== 'PENDING') return;
    const now = clock.now();
    const isPostponed = await postponeExpiry(tx, paymentOrderId, expiresAt, now);
    if (isPostponed) await postponeInstallment(tx, order.id, expiresAt, now);
  });
};
