export { createHoldingCustomerRoutes } from './holdings.customer.routes.ts';
export { holdingView, presentHolding } from './holdings.schemas.ts';
export {
  availableGrams,
  insertHolding,
  creditHolding,
  debitHolding,
  forfeitHolding,
  lockHolding,
  readHolding,
  readHouseGrams,
  readHeldGold,
  reserveGrams,
  reserveGramsSql,
} from './holdings.store.ts';
export type { Holding } from './holdings.types.ts';
export { createPortfolioCache, type PortfolioCache } from './portfolio-cache.ts';
export {
  recoverReserved,
  releaseReview,
  releaseSale,
  reserveForReview,
} from './review-reservations.store.ts';
