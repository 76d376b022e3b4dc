export { createHoldings } from './create-holdings.ts';
export { createHolding, creditHolding, lockHolding, readHolding } from './holdings.store.ts';
export type { Credit, Debit, Holding, Reservation } from './holdings.types.ts';
export { debitHolding, availableGrams, releaseGrams, reserveGrams } from './reservations.store.ts';
export { createPortfolioCache, type PortfolioCache } from './portfolio-cache.ts';
