import { isAppError } from '../../platform/errors/app-error.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { lockHolding } from '../holdings/index.ts';
import { mayTrade } from '../kyc/index.ts';
import { lockPayableOrder } from '../orders/index.ts';
import {
  createGatewayOrder,
  findPaymentOrder,
  lockPaymentOrder,
  markCheckoutOpened,
  type PaymentsDeps,
} from '../payments/index.ts';
import { checkDailyBuys, type GoldBase } from '../quotes/index.ts';
import type { Limits } from '../settings/index.ts';
import { extendPaymentWindow } from './extend-payment-window.ts';

/**
 * The errors after which the checkout of an installment stays closed. The installment waits for a
 * gateway, or for the sweep that fails it.
 */
const deferringErrors = ['NO_USABLE_GATEWAY', 'REQUEST_IN_PROGRESS', 'QUOTE_EXPIRED'] as const;

export interface CheckoutDeps extends Pick<GoldBase, 'db' | 'inTransaction' | 'clock' | 'logger'> {
  readonly payments: PaymentsDeps;
  readonly limits: { current(): Promise<Limits> };
}

/**
 * Counts an installment's checkout towards today's daily limit before it is opened (contract: money
 * > Trading limits). Returns true also if the checkout is already counted or need not be opened.
 * Returns false if the customer has reached the limit or may not buy gold. The installment then
 * waits for another day.
 */
const countCheckout = async (deps: CheckoutDeps, paymentOrderId: string): Promise<boolean> => {
  const { db, inTransaction, clock } = deps;
  const paymentOrder = await findPaymentOrder(db, paymentOrderId);
  if (paymentOrder?.status !== 'CREATED') return true;
  if (!(await mayTrade(db, paymentOrder.userId))) return false;
  const limits = await deps.limits.current();
  return inTransaction(async (tx) => {
    const { amountPaise, status, userId } = await lockPayableOrder(tx, paymentOrder.orderId);
    const current = await lockPaymentOrder(tx, paymentOrderId);
    if (status !== 'PENDING' || current?.status !== 'CREATED') return true;
    const at = clock.now();
    const { checkoutOpenedAt } = current;
    if (checkoutOpenedAt !== null && istDate(checkoutOpenedAt) === istDate(at)) return true;
    await lockHolding(tx, userId);
    try {
      await checkDailyBuys(
        tx,
        { userId, amountPaise, installmentId: paymentOrder.orderId },
        limits,
        at,
      );
    } catch (error) {
      if (isAppError(error, 'LIMIT_EXCEEDED')) return false;
      throw error;
    }
    await markCheckoutOpened(tx, paymentOrderId, at);
    return true;
  });
};

/**
 * Creates the gateway's order of an installment (contract: plans > Schedule). Returns false if the
 * installment has to wait, for a gateway or for another day. If the gateway's order does not match
 * the request, the installment fails and its customer is notified.
 */
export const openInstallmentCheckout = async (
  deps: CheckoutDeps,
  paymentOrderId: string,
): Promise<boolean> => {
  await extendPaymentWindow(deps, paymentOrderId);
  if (!(await countCheckout(deps, paymentOrderId))) {
    deps.logger.info({ paymentOrderId }, 'the checkout of an installment waits for another day');
    return false;
  }
  try {
    await createGatewayOrder(deps.payments, paymentOrderId);
    return true;
  } catch (error) {
    if (deferringErrors.some((code) => isAppError(error, code))) {
      deps.logger.warn({ paymentOrderId }, 'the checkout of an installment waits for a gateway');
      return false;
    }
    if (isAppError(error, 'GATEWAY_MISMATCH')) return true;
    throw error;
  }
};
