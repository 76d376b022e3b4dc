import { isAppError } from '../../platform/errors/app-error.ts';
import type { JobRequest } from '../../platform/jobs/index.ts';
import { createGatewayOrder, type PaymentsDeps } from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';
import { extendPaymentWindow } from './extend-payment-window.ts';

export const OPEN_CHECKOUT_TASK = 'gold.open-installment-checkout';

/**
 * After every other job: installments of all plans fall due at the same moment, and nobody has paid
 * for them yet, while the other jobs allocate gold that is paid and dispatch payouts.
 */
const openCheckoutPriority = 10;

/** Makes the job that creates the gateway's order of an installment, so that it can be paid. */
export const openCheckoutJob = (paymentOrderId: string): JobRequest => ({
  task: OPEN_CHECKOUT_TASK,
  payload: { paymentOrderId },
  key: `${OPEN_CHECKOUT_TASK}:${paymentOrderId}`,
  priority: openCheckoutPriority,
});

/** The refusals for which an installment waits: for a gateway, or for the sweep that fails it. */
const deferring = ['NO_USABLE_GATEWAY', 'REQUEST_IN_PROGRESS', 'QUOTE_EXPIRED'] as const;

/**
 * Creates the gateway's order of an installment; returns false while no gateway creates it, and the
 * installment waits. One that creates another has failed it, and the customer was notified
 * (contract: plans > Schedule).
 */
export const openInstallmentCheckout = async (
  deps: Pick<GoldBase, 'db' | 'inTransaction' | 'clock' | 'logger'> & {
    readonly payments: PaymentsDeps;
  },
  paymentOrderId: string,
): Promise<boolean> => {
  await extendPaymentWindow(deps, paymentOrderId);
  try {
    await createGatewayOrder(deps.payments, paymentOrderId);
    return true;
  } catch (error) {
    if (deferring.some((code) => isAppError(error, code))) {
      deps.logger.warn({ paymentOrderId }, 'the checkout of an installment waits for a gateway');
      return false;
    }
    if (isAppError(error, 'GATEWAY_MISMATCH')) return true;
    throw error;
  }
};
