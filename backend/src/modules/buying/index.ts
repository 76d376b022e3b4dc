export type { AllocateOrder } from './allocate-order.ts';
export { readVerdict } from './allocation.rules.ts';
export { createBuying, type Buying, type BuyingOptions } from './create-buying.ts';
export type {
  InstallmentToPay,
  InstallmentToPlace,
  PlaceInstallment,
  PlacedInstallment,
} from './place-installment.ts';
export type { RecordAllocationOutcome } from './record-allocation-outcome.ts';
