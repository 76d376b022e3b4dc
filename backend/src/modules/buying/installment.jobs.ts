import type { JobRequest } from '../../platform/jobs/index.ts';

export const OPEN_CHECKOUT_TASK = 'gold.open-installment-checkout';

/**
 * Makes this job run after every other job. Installments of all plans fall due at the same time and
 * are not paid yet. Other jobs allocate gold that is paid, and dispatch payouts.
 */
const openCheckoutPriority = 10;

/** Creates the job that creates the gateway's order of an installment, so that it can be paid. */
export const openCheckoutJob = (paymentOrderId: string): JobRequest => ({
  task: OPEN_CHECKOUT_TASK,
  payload: { paymentOrderId },
  key: `${OPEN_CHECKOUT_TASK}:${paymentOrderId}`,
  priority: openCheckoutPriority,
});

export const DEBIT_TASK = 'gold.debit-installment';

/** Creates the job that debits a mandate at a time of the business clock. */
export const debitJob = (paymentOrderId: string, dueAt: Date) => ({
  task: DEBIT_TASK,
  payload: { paymentOrderId },
  key: `${DEBIT_TASK}:${paymentOrderId}`,
  dueAt,
});
