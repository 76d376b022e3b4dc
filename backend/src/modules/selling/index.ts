export {
  recordSaleOutcome,
  readSaleVerdict,
  reviewOf,
  type SaleVerdict,
} from './record-sale-outcome.ts';
export { createSellingCustomerRoutes } from './selling.customer.routes.ts';
export { createSellingSweeps } from './selling.sweeps.ts';
export type { SaleInitiator, SaleOutcomeDeps, SellingRouteDeps } from './selling.types.ts';
