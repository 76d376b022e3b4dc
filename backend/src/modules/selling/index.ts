export { createSelling } from './create-selling.ts';
export { recordSaleOutcome } from './record-sale-outcome.ts';
export { readSaleVerdict, reviewOf, type SaleVerdict } from './selling.rules.ts';
export type {
  SaleInitiator,
  SaleOutcomeDeps,
  SellingDeps,
  SellingOptions,
} from './selling.types.ts';
