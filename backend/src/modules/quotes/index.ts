export { type DraftBuyQuote, createDraftBuyQuote, requireProviderUser } from './draft-buy-quote.ts';
export { type DraftSellQuote, createDraftSellQuote } from './draft-sell-quote.ts';
export { type SaleToCheck, checkDailyBuys, checkSellAmount, requireUsable } from './quote.rules.ts';
export { createQuotePurge } from './purge-quotes.ts';
export { createQuoteRoutes } from './quotes.customer.routes.ts';
export type { GoldBase, QuoteDeps } from './draft-buy-quote.ts';
export { amountShape, toAmount } from './quotes.schemas.ts';
export {
  consumeQuote,
  expireQuotes,
  findBuyQuote,
  findSellQuote,
  findUsableSellQuote,
  insertBuyQuote,
  insertSellQuote,
  lockBuyQuote,
  lockSellQuote,
} from './quotes.store.ts';
export type { BuyQuote, GoldAmount, SellQuote } from './quotes.types.ts';
export { createVerifyBuy, isGramsMismatch, type VerifiedBuy } from './verify-buy.ts';
