export { checkDailyBuys } from './buy-limits.ts';
export { type DraftQuote, createDraftQuote } from './draft-quote.ts';
export { type DraftSellQuote, createDraftSellQuote } from './draft-sell-quote.ts';
export { createGoldQuoteStore } from './gold-quote.store.ts';
export type { BuyDeps, GoldBase, QuoteDeps } from './gold.deps.ts';
export { requireProviderUser, verifiablePrice } from './quote-price.ts';
export { requireUsable } from './require-usable.ts';
export { type SellToCheck, checkSellAmount } from './sell-figures.ts';
export { createSellQuoteStore } from './sell-quote.store.ts';
