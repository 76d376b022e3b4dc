import { z } from 'zod';
import { isAppError } from '../../platform/errors/app-error.ts';
import type { JobHandler, JobRequest } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createGatewayOrder, type PaymentsDeps } from '../payments/index.ts';

export const OPEN_CHECKOUT_TASK = 'gold.open-installment-checkout';

const payloadSchema = z.object({ paymentOrderId: z.uuid() });

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
 * Creates the job of `openCheckoutJob`. While no gateway creates its order the installment waits;
 * one that creates another has failed it, and the customer was notified (contract: plans >
 * Schedule).
 */
export const createOpenInstallmentCheckout = ({
  payments,
  renewLife,
  logger,
}: {
  readonly payments: PaymentsDeps;
  readonly renewLife: (paymentOrderId: string) => Promise<void>;
  readonly logger: Logger;
}) => {
  /** Returns false while no gateway creates the order. */
  const openCheckout = async (paymentOrderId: string): Promise<boolean> => {
    await renewLife(paymentOrderId);
    try {
      await createGatewayOrder(payments, paymentOrderId);
      return true;
    } catch (error) {
      if (deferring.some((code) => isAppError(error, code))) {
        logger.warn({ paymentOrderId }, 'the checkout of an installment waits for a gateway');
        return false;
      }
      if (isAppError(error, 'GATEWAY_MISMATCH')) return true;
      throw error;
    }
  };

  const job: JobHandler = async (payload) => {
    await openCheckout(payloadSchema.parse(payload).paymentOrderId);
  };
  return { openCheckout, job };
};
