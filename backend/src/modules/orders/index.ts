export { ALLOCATE_TASK, allocationJob, allocationRetry } from './allocation-job.ts';
export {
  type MoveOrder,
  type MoveSell,
  type OrderChanges,
  createMoveOrder,
  createMoveSell,
} from './create-move-order.ts';
export { createGoldOrderStore } from './gold-order.store.ts';
export { createGoldCustomerRoutes } from './gold.customer.routes.ts';
export { tellBought, tellSellFailed, tellSold, tellUnderReview } from './gold.notifications.ts';
export {
  type GoldAmount,
  adminOrderPage,
  adminOrderView,
  adminOrdersQuery,
  buyBody,
  buyView,
  payQuoteBody,
  quoteBody,
  sellBody,
  sellQuoteView,
  sellView,
} from './gold.schemas.ts';
export { isAwaitingAllocation } from './gold.states.ts';
export type {
  Actor,
  BuyQuote,
  BuyStatus,
  GoldOrder,
  ManualReviewCode,
  QuoteStatus,
  SellQuote,
} from './gold.types.ts';
export { type LockedBuy, isLockedBuy, newConfirm } from './locked-buy.ts';
export { createOrderSettlement } from './order-settlement.ts';
export {
  paiseOrNull,
  presentEvent,
  presentOrder,
  presentOrderRow,
  presentSellQuote,
} from './present-gold.ts';
export { createSellOrderStore } from './sell-order.store.ts';
export { type VerifiedSell, isVerifiedSell } from './verified-sell.ts';
export { hasOpenSell } from './gold.read-model.ts';
export { createSellSettlement } from './sell-settlement.ts';
