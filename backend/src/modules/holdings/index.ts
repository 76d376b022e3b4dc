export { createHoldings } from './create-holdings.ts';
export { createHolding, creditHolding, lockHolding, readHolding } from './holdings.store.ts';
export type { Credit, Holding } from './holdings.types.ts';
export { createPortfolioCache, type PortfolioCache } from './portfolio-cache.ts';
