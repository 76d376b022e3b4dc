export {
  insertInstallmentOrder,
  listInstallments,
  listLapsedInstallments,
  extendInstallmentExpiry,
  updateVerifiedInstallment,
} from './installments.store.ts';
export { createOrderAdminRoutes } from './orders.admin.routes.ts';
export { createOrderCustomerRoutes } from './orders.customer.routes.ts';
export { notifyBought, notifySaleFailed, notifySold } from './orders.notifications.ts';
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
export {
  isAwaitingAllocation,
  transitionBuy,
  transitionInstallment,
  transitionSale,
  type OrderChanges,
  type TransitionDeps,
} from './orders.states.ts';
export {
  findOrder,
  hasAllocatedOrder,
  hasOpenSale,
  insertBuyOrder,
  insertSellOrder,
  listAbandonedSales,
  listLapsedBuys,
  listOrderEvents,
  listOverdueRetries,
  listStalledBuys,
  listUndecidedSales,
  lockOrder,
  lockSale,
  markOrderSwept,
  markSaleInReview,
  readBuys,
} from './orders.store.ts';
export {
  type Actor,
  type BuyStatus,
  type GoldOrder,
  type GoldUnit,
  type PriceLockedBuy,
  type ManualReviewCode,
  type SaleOrder,
  type VerifiedSale,
  buyStatuses,
  goldUnits,
  hasGold,
  hasPriceLock,
  isVerifiedSale,
} from './orders.types.ts';
export {
  addToReviewReason,
  changeReviewCode,
  lockPayableOrder,
  markOrderFailed,
  markOrderPaid,
  sendBuyToReview,
  type CausedBy,
  type OrderDeps,
  type PayableOrder,
} from './payable-orders.ts';
export { ALLOCATE_TASK, allocationJob, allocationKey, allocationRetry } from './orders.jobs.ts';
