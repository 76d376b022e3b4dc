export { recordSaleOutcome } from './record-sale-outcome.ts';
export { createSellingRoutes } from './selling.customer.routes.ts';
export { readSaleVerdict, reviewOf, type SaleVerdict } from './selling.rules.ts';
export { createSellingSweeps } from './selling.sweeps.ts';
export type {
  SaleInitiator,
  SaleOutcomeDeps,
  SellingDeps,
  SellingOptions,
} from './selling.types.ts';
