import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import {
  fetchRefundState,
  findUnmatchedPayment,
  lockUnmatchedPayment,
  recordUnmatchedAsRefunded,
  type PaymentsDeps,
  type RefundState,
} from '../payments/index.ts';
import { ignoreUnmatchedEvents } from '../webhook-inbox/index.ts';

export interface RecordRefundDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly payments: Pick<PaymentsDeps, 'gateways' | 'clock'>;
}

interface RefundStatement {
  readonly reference: string;
  readonly note?: string | undefined;
}

const illegalTransition = (message: string): AppError =>
  new AppError('ILLEGAL_TRANSITION', { message });

/**
 * Requires that the gateway reports the refund. If the gateway can't report it, the operator's
 * reference counts.
 */
const requireRefunded = (state: RefundState): void => {
  if (state.kind === 'NO_ANSWER') {
    throw new AppError('SERVICE_UNAVAILABLE', {
      message: 'The payment gateway is not responding. Nothing was recorded. Please try again.',
    });
  }
  if (state.kind === 'HELD')
    throw illegalTransition('The gateway still holds the money of this payment.');
  if (state.kind === 'UNDER_WAY') {
    throw new AppError('OUTCOME_UNDECIDED', { message: 'The refund is not complete.' });
  }
};

/**
 * Records that a payment for an unknown order was refunded at its gateway. The gateway is queried before
 * the transaction. The payment's waiting events are ignored from then on (contract: incidents > Open
 * payments).
 * @throws AppError NOT_FOUND, OUTCOME_UNDECIDED, SERVICE_UNAVAILABLE, and ILLEGAL_TRANSITION if the
 *   gateway still holds the money or the payment's order is known by now
 */
export const recordUnmatchedRefund = async (
  { db, inTransaction, audit, payments }: RecordRefundDeps,
  id: string,
  { reference, note }: RefundStatement,
  { principal, context }: ByOperator,
): Promise<void> => {
  const payment = await findUnmatchedPayment(db, id);
  if (payment === undefined) throw new AppError('NOT_FOUND');
  requireRefunded(await fetchRefundState(payments, payment, reference));
  await inTransaction(async (tx) => {
    const locked = await lockUnmatchedPayment(tx, id);
    if (locked === undefined) throw illegalTransition('The payment is not unmatched any more.');
    await recordUnmatchedAsRefunded(payments, tx, locked, reference);
    const events = await ignoreUnmatchedEvents(tx, locked);
    await audit.record(tx, {
      action: 'payment.refunded',
      ...adminActor(principal, context),
      target: { type: 'gateway_payment', id },
      before: { standing: 'UNMATCHED' },
      after: { standing: 'REFUNDED', reference, events },
      ...(note !== undefined && { sealed: { after: { note } } }),
    });
  });
};
