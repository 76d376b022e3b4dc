import { paise } from '../../money/index.ts';
import { lockRow, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  listReversals,
  markPaymentRefunded,
  markReversalsResolved,
} from './gateway-payments.store.ts';
import type { QueriedPayment } from './held-payments.ts';
import type { PaymentsDeps } from './payments.types.ts';

/** A captured payment for an unknown order. */
type UnmatchedPayment = QueriedPayment & { readonly id: string };

/** Returns a captured payment that matches no order, or undefined for any other id. */
export const findUnmatchedPayment = async (
  db: Db,
  id: string,
): Promise<UnmatchedPayment | undefined> => {
  const row = await db.gatewayPayment.findFirst({
    where: { id, status: 'CAPTURED', disposition: 'UNMATCHED' },
  });
  if (row === null) return undefined;
  const { gateway, gatewayPaymentId, gatewayOrderId, amountPaise, learnedAt, gatewayAt } = row;
  return {
    id,
    gateway,
    gatewayPaymentId,
    gatewayOrderId,
    createdAt: gatewayAt !== null && gatewayAt < learnedAt ? gatewayAt : learnedAt,
    amountPaise: paise(amountPaise),
    reversals: await listReversals(db, row),
  };
};

/** Locks and returns an unmatched payment, or undefined if it is no longer unmatched. */
export const lockUnmatchedPayment = async (
  tx: Db,
  id: string,
): Promise<UnmatchedPayment | undefined> => {
  const isLocked = await lockRow(tx, 'gateway_payment', id);
  return isLocked ? findUnmatchedPayment(tx, id) : undefined;
};

/** Records that a locked payment without an order was refunded to its payer. */
export const recordUnmatchedAsRefunded = async (
  { clock }: Pick<PaymentsDeps, 'clock'>,
  tx: Db,
  payment: UnmatchedPayment,
  reference: string,
): Promise<void> => {
  const at = clock.now();
  const isRecorded = await markPaymentRefunded(tx, payment.id, reference, at);
  invariant(isRecorded, `payment ${payment.id} was refunded by another`);
  await markReversalsResolved(tx, payment, at);
};
