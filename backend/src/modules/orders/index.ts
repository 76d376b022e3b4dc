export { ALLOCATE_TASK, allocationJob, allocationRetry } from './allocation-job.ts';
export {
  type SaleCause,
  type SaleOrder,
  lockSellOrder,
  markSaleCompleted,
  returnSaleToConfirmed,
} from './complete-sale.ts';
export { createOrders, type Orders } from './create-orders.ts';
export { createOrderAdminRoutes } from './orders.admin.routes.ts';
export { createOrderCustomerRoutes } from './orders.customer.routes.ts';
export {
  notifyBought,
  notifySaleFailed,
  notifySold,
  notifyUnderReview,
} from './orders.notifications.ts';
export {
  adminOrderRow,
  goldOrderView,
  gramsText,
  orderEventView,
  paiseInt,
  paiseOrNull,
  presentEvent,
  presentOrder,
  presentOrderRow,
} from './orders.schemas.ts';
export { isAwaitingAllocation } from './orders.states.ts';
export {
  findOrder,
  hasOpenSell,
  insertBuyOrder,
  insertSellOrder,
  listAbandonedSells,
  listLapsedBuys,
  listOrderEvents,
  listOverdueRetries,
  listStalledBuys,
  listUndecidedSells,
  lockOrder,
  markSwept,
  sendSellToReview,
  sumBuys,
} from './orders.store.ts';
export {
  type Actor,
  type BuyStatus,
  type GoldOrder,
  type GoldUnit,
  type LockedBuy,
  type ManualReviewCode,
  type SellStatus,
  type VerifiedSell,
  buyStatuses,
  goldUnits,
  hasGold,
  isLockedBuy,
  isVerifiedSell,
  sellStatuses,
} from './orders.types.ts';
export { type CausedBy, type PayableOrder, lockPayableOrder } from './payable-orders.ts';
export type { OrderChanges, TransitionBuy, TransitionSell } from './transition-order.ts';
