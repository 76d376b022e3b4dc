export { allocateOrder } from './allocate-order.ts';
export { readVerdict } from './allocation-verdict.ts';
export type { AllocationDeps } from './buying.types.ts';
export { createBuying, type BuyingDeps } from './create-buying.ts';
export { payInstallmentAgain, placeInstallment } from './place-installment.ts';
export type { PlacedInstallment } from './place-installment.ts';
export { recordAllocationOutcome } from './record-allocation-outcome.ts';
