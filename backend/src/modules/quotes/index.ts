export {
  type DraftBuyQuote,
  createDraftBuyQuote,
  requireProviderUser,
  type GoldBase,
  type QuoteDeps,
  createVerifyBuy,
  isGramsMismatch,
  type VerifiedBuy,
  type VerifyErrorCode,
  verifyError,
  verifyErrorCode,
} from './quote-buy.ts';
export { type DraftSellQuote, createDraftSellQuote } from './quote-sell.ts';
export { type SaleToCheck, checkDailyBuys, checkSellAmount, requireUsable } from './quote.rules.ts';
export {
  createQuotePurge,
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
export { createQuoteRoutes } from './quotes.customer.routes.ts';
export { amountShape, toAmount } from './quotes.schemas.ts';
export type { BuyQuote, GoldAmount, SellQuote } from './quotes.types.ts';
