export { draftBuyQuote } from './quote-buy.ts';
export { readBuyBasis, type BuyBasis } from './buy-basis.ts';
export {
  isGramsMismatch,
  verifyBuy,
  verifyError,
  verifyErrorCode,
  type VerifiedBuy,
  type VerifyErrorCode,
} from './verify-buy.ts';
export { checkSellLimits, draftSellQuote, type SellLimitsDeps } from './quote-sell.ts';
export {
  checkDailyBuys,
  checkSellAmount,
  readDailyBuys,
  remainingDailyBuys,
  requireWithinDailyLimit,
  requireUsable,
  type SaleToCheck,
} from './quotes.rules.ts';
export {
  findBuyQuote,
  findSellQuote,
  findUsableSellQuote,
  insertBuyQuote,
  insertSellQuote,
  lockBuyQuote,
  lockSellQuote,
  quotedGramsSql,
} from './quotes.store.ts';
export { createQuotePurge } from './quotes.sweeps.ts';
export { consumeQuote, expireQuotes } from './quotes.states.ts';
export { createQuoteCustomerRoutes } from './quotes.customer.routes.ts';
export { amountShape, toAmount } from './quotes.schemas.ts';
export type { BuyQuote, GoldAmount, GoldBase, QuoteDeps, SellQuote } from './quotes.types.ts';
export { countQuote } from './count-quote.ts';
