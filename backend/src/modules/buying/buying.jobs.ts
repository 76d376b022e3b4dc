import { z } from 'zod';
import type { TaskList } from '../../platform/jobs/index.ts';
import { ALLOCATE_TASK } from '../orders/index.ts';
import { allocateOrder } from './allocate-order.ts';
import { debitInstallment, type DebitDeps } from './debit-installments.ts';
import type { AllocationDeps } from './buying.types.ts';
import { DEBIT_TASK, OPEN_CHECKOUT_TASK } from './installment.jobs.ts';
import { openInstallmentCheckout, type CheckoutDeps } from './open-installment-checkout.ts';

const orderPayload = z.object({ orderId: z.uuid() });
const paymentPayload = z.object({ paymentOrderId: z.uuid() });

/** Creates the jobs that allocate paid orders, open checkouts of installments and debit mandates. */
export const createBuyingJobs = (deps: AllocationDeps & DebitDeps & CheckoutDeps): TaskList => ({
  [ALLOCATE_TASK]: (payload) => allocateOrder(deps, orderPayload.parse(payload).orderId),
  [OPEN_CHECKOUT_TASK]: async (payload) => {
    await openInstallmentCheckout(deps, paymentPayload.parse(payload).paymentOrderId);
  },
  [DEBIT_TASK]: (payload) => debitInstallment(deps, paymentPayload.parse(payload).paymentOrderId),
});
