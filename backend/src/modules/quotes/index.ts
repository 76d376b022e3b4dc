export {
  type DraftBuyQuote,
  createDraftBuyQuote,
  requireProviderUser,
  type GoldBase,
  type QuoteDeps,
  createVerifyBuy,
  isGramsMismatch,
  type VerifiedBuy,
} from './quote-buy.ts';
export { type DraftSellQuote, createDraftSellQuote } from './quote-sell.ts';
export {
  type SaleToCheck,
  type VerifyErrorCode,
  checkDailyBuys,
  checkSellAmount,
  isCoveredByProvider,
  requireUsable,
  verifyError,
  verifyErrorCode,
} from './quote.rules.ts';
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
