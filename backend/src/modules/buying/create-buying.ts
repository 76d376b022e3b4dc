import { z } from 'zod';
import type { Route } from '../../platform/http/index.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import { ALLOCATE_TASK } from '../orders/index.ts';
import type { Gates } from '../readiness/index.ts';
import { createAllocateOrder, type AllocateDeps, type AllocateOrder } from './allocate-order.ts';
import type { BuyDeps } from './buy.ts';
import { createBuyRoutes } from './buying.customer.routes.ts';
import { createAllocationSweeps, createExpirySweeps } from './buying.sweeps.ts';
import { createDebitInstallments, DEBIT_TASK } from './debit-installments.ts';
import {
  createRenewLife,
  createPlaceInstallment,
  type PlaceInstallment,
} from './place-installment.ts';
import { createInstallmentSweeps } from './installment.sweeps.ts';
import { createOpenInstallmentCheckout, OPEN_CHECKOUT_TASK } from './open-installment-checkout.ts';
import {
  createRecordAllocationOutcome,
  type RecordAllocationOutcome,
  type RecordOutcomeDeps,
} from './record-allocation-outcome.ts';
import { createVerifyInstallment } from './verify-installment.ts';

export type BuyingOptions = BuyDeps &
  Omit<AllocateDeps, 'recordOutcome' | 'verifyInstallment'> &
  RecordOutcomeDeps & {
    readonly gates: Pick<Gates, 'isBuyOpen' | 'requireBuyOpen'>;
  };

export interface Buying {
  /** `POST /gold/buy`, `POST /payments/orders`. */
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** Those that run often: what expires. */
  readonly expirySweeps: readonly Sweep[];
  /** Places the installments of plans, also again for one that was not paid. */
  readonly installments: PlaceInstallment;
  readonly allocateOrder: AllocateOrder;
  readonly recordAllocationOutcome: RecordAllocationOutcome;
}

const jobPayload = z.object({ orderId: z.uuid() });

/** Creates buying: placing a buy, paying for a quote, allocating what is paid. */
export const createBuying = (options: BuyingOptions): Buying => {
  const recordOutcome = createRecordAllocationOutcome(options);
  const verifyInstallment = createVerifyInstallment(options);
  const allocateOrder = createAllocateOrder({ ...options, recordOutcome, verifyInstallment });
  const renewLife = createRenewLife(options);
  const debits = createDebitInstallments({ ...options, renewLife });
  const { openCheckout, job } = createOpenInstallmentCheckout({ ...options, renewLife });
  return {
    customerRoutes: createBuyRoutes(options),
    jobs: {
      [ALLOCATE_TASK]: (payload) => allocateOrder(jobPayload.parse(payload).orderId),
      [OPEN_CHECKOUT_TASK]: job,
      [DEBIT_TASK]: debits.job,
    },
    sweeps: [
      ...createAllocationSweeps({ ...options, recordOutcome }),
      debits.sweep,
      ...createInstallmentSweeps({ ...options, openCheckout }),
    ],
    expirySweeps: createExpirySweeps(options),
    installments: createPlaceInstallment(options),
    allocateOrder,
    recordAllocationOutcome: recordOutcome,
  };
};
