import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { lockOrder, postponeInstallment } from '../orders/index.ts';
import { findPaymentOrder, isTurnedDownEverywhere, type Payments } from '../payments/index.ts';

/** An installment may be paid for so long after it was raised, or after its debit was due. */
export const installmentLifeMs = 72 * 3_600_000;

/** An installment whose gateway answers at once keeps the end that it was raised with. */
const deferredMs = 600_000;

export interface InstallmentLifeDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly payments: Pick<Payments, 'postponeExpiry'>;
}

/**
 * Creates the renewal of an installment's 72 h before it is first asked for: one that a gateway or
 * a closed gate has deferred has its whole time from then on. One that every gateway has turned
 * down is not deferred: its 72 h go on, so that it fails and its customer can act (contract: plans >
 * Schedule).
 */
export const createRenewLife =
  ({ db, inTransaction, clock, payments }: InstallmentLifeDeps) =>
  async (paymentOrderId: string): Promise<void> => {
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
      const isPostponed = await payments.postponeExpiry(tx, paymentOrderId, expiresAt);
      if (isPostponed) await postponeInstallment(tx, order.id, expiresAt, clock.now());
    });
  };
