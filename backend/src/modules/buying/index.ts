export type { AllocateOrder } from './allocate-order.ts';
export { readVerdict } from './allocation-verdict.ts';
export { createBuying, type BuyingOptions } from './create-buying.ts';
export type { PlaceInstallment, PlacedInstallment } from './place-installment.ts';
export type { RecordAllocationOutcome } from './record-allocation-outcome.ts';
