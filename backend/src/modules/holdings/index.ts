export { createHoldings } from './create-holdings.ts';
export {
  availableGrams,
  createHolding,
  creditHolding,
  debitHolding,
  lockHolding,
  readHolding,
  releaseGrams,
  reserveGrams,
} from './holdings.store.ts';
export type { Credit, Debit, Holding, Reservation } from './holdings.types.ts';
export { createPortfolioCache, type PortfolioCache } from './portfolio-cache.ts';
