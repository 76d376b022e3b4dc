import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { schedule } from '../../platform/jobs/index.ts';
import { extendInstallmentExpiry, lockPayableOrder, type TransitionDeps } from '../orders/index.ts';
import {
  expirePaymentOrders,
  isOpenPaymentOrder,
  listPaymentOrders,
  lockPaymentOrder,
  updateDebitDate,
  type PaymentOrder,
} from '../payments/index.ts';
import { debitJob } from './installment.jobs.ts';
import { paymentWindowMs } from './extend-payment-window.ts';

/** The state of an installment's debit. */
type DebitState =
  | { readonly kind: 'UNSENT'; readonly paymentOrder: PaymentOrder }
  /** The installment is PENDING and no payment was requested. */
  | { readonly kind: 'NOT_DEBITED' }
  /** The debit was sent, or the installment is paid at a checkout or has ended. */
  | { readonly kind: 'OTHER' };

/** Locks an installment, then its open payment order, and returns the state of its debit. */
const lockDebit = async (tx: Db, orderId: string): Promise<DebitState> => {
  const order = await lockPayableOrder(tx, orderId);
  if (order.status !== 'PENDING') return { kind: 'OTHER' };
  const open = (await listPaymentOrders(tx, [orderId])).find(isOpenPaymentOrder);
  if (open === undefined) return { kind: 'NOT_DEBITED' };
  // A worker that sends the debit changes its state under this row's lock before the request.
  const paymentOrder = await lockPaymentOrder(tx, open.id);
  const isUnsent =
    paymentOrder !== undefined &&
    isOpenPaymentOrder(paymentOrder) &&
    paymentOrder.debitStatus === 'SCHEDULED';
  return isUnsent ? { kind: 'UNSENT', paymentOrder } : { kind: 'OTHER' };
};

/**
 * Cancels the debit of an installment if it was not sent yet, in the caller's transaction (contract:
 * plans > Missed debits). The installment stays PENDING. Its customer may pay it until
 * `payableUntil`, and then it fails. Returns true also for a debit that was cancelled before.
 * Returns false if the debit was sent or the installment is no longer PENDING.
 */
export const callOffDebit = async (
  deps: TransitionDeps,
  tx: Db,
  change: { readonly orderId: string; readonly payableUntil: Date; readonly cause: string },
): Promise<boolean> => {
  const { orderId, payableUntil, cause } = change;
  const { kind } = await lockDebit(tx, orderId);
  if (kind !== 'UNSENT') return kind === 'NOT_DEBITED';
  await expirePaymentOrders(deps, tx, orderId, cause);
  await extendInstallmentExpiry(tx, orderId, payableUntil, deps.clock.now());
  return true;
};

/**
 * Postpones the debit of an installment to `debitAt`, in the caller's transaction. The 72 h begin
 * again at that time. The caller announces the debit again. Returns false if there is no debit that
 * was not sent.
 */
export const postponeDebit = async (
  { clock }: Pick<TransitionDeps, 'clock'>,
  tx: Db,
  { orderId, debitAt }: { readonly orderId: string; readonly debitAt: Date },
): Promise<boolean> => {
  const debit = await lockDebit(tx, orderId);
  if (debit.kind !== 'UNSENT') return false;
  const { id } = debit.paymentOrder;
  const at = clock.now();
  const expiresAt = addMs(debitAt, paymentWindowMs);
  await updateDebitDate(tx, id, { debitAt, expiresAt, at });
  await extendInstallmentExpiry(tx, orderId, expiresAt, at);
  await schedule(tx, debitJob(id, debitAt));
  return true;
};
