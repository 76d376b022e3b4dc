import { z } from 'zod';
import type { Route } from '../../platform/http/index.ts';
import type { Idempotency } from '../../platform/idempotency/index.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import { ALLOCATE_TASK } from '../orders/index.ts';
import type { Gates } from '../readiness/index.ts';
import { allocateOrder } from './allocate-order.ts';
import type { BuyDeps } from './buy.ts';
import { createBuyRoutes } from './buying.customer.routes.ts';
import { createAllocationSweeps, createExpirySweeps } from './buying.sweeps.ts';
import type { AllocationDeps } from './buying.types.ts';
import { createDebitSweep, debitInstallment, DEBIT_TASK } from './debit-installments.ts';
import { createInstallmentSweeps } from './installment.sweeps.ts';
import { openInstallmentCheckout, OPEN_CHECKOUT_TASK } from './open-installment-checkout.ts';

export type BuyingDeps = BuyDeps &
  AllocationDeps & {
    readonly idempotency: Idempotency;
    readonly gates: Pick<Gates, 'isBuyOpen' | 'readBuyEvidence' | 'requireBuyOpen'>;
  };

interface Buying {
  /** `POST /gold/buy`, `POST /payments/orders`. */
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** The sweeps that run often: they expire quotes and unpaid orders. */
  readonly expirySweeps: readonly Sweep[];
}

const orderPayload = z.object({ orderId: z.uuid() });
const paymentPayload = z.object({ paymentOrderId: z.uuid() });

/** Creates buying: placing a buy, paying for a quote, allocating what is paid. */
export const createBuying = (deps: BuyingDeps): Buying => ({
  customerRoutes: createBuyRoutes(deps),
  jobs: {
    [ALLOCATE_TASK]: (payload) => allocateOrder(deps, orderPayload.parse(payload).orderId),
    [OPEN_CHECKOUT_TASK]: async (payload) => {
      await openInstallmentCheckout(deps, paymentPayload.parse(payload).paymentOrderId);
    },
    [DEBIT_TASK]: (payload) => debitInstallment(deps, paymentPayload.parse(payload).paymentOrderId),
  },
  sweeps: [
    ...createAllocationSweeps(deps),
    createDebitSweep(deps),
    ...createInstallmentSweeps(deps),
  ],
  expirySweeps: createExpirySweeps(deps),
});
