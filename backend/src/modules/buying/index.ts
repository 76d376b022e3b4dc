export { allocateOrder } from './allocate-order.ts';
export { readVerdict } from './allocation-verdict.ts';
export type { AllocationDeps } from './buying.types.ts';
export { createBuying, type BuyingDeps } from './create-buying.ts';
export { payInstallmentAgain, placeInstallment, placeUndebited } from './place-installment.ts';
export { callOffDebit, postponeDebit } from './change-debit.ts';
export type { PlacedInstallment } from './place-installment.ts';
export { recordAllocationOutcome } from './record-allocation-outcome.ts';
