export {
  chooseDebitGateway,
  chooseGateway,
  listDebitGateways,
  listUsableGateways,
  requireUsableGateways,
  type GatewayCriteria,
} from './choose-gateway.ts';
export { readGatewayChoice } from './gateway-settings.store.ts';
export { createGatewayOrder } from './create-gateway-order.ts';
export { createPayments } from './create-payments.ts';
export { APPLY_EVENT_TASK } from './payments.jobs.ts';
export { debitMandate } from './debit-mandate.ts';
export { listDueDebits, sealMandateToken, updateDebitDate } from './debits.store.ts';
export { isRefusedByEveryGateway, listAttempts } from './gateway-attempts.store.ts';
export { createGatewayAdminRoutes } from './gateways.admin.routes.ts';
export { listHeldPayments } from './gateway-payments.store.ts';
export {
  applyHeldPayment,
  fetchRefundState,
  recordRefund,
  markPaymentOrdersRefunded,
  replacePayment,
  resolveDoubts,
  type RefundState,
} from './held-payments.ts';
export {
  findPaymentOrder,
  insertPaymentOrder,
  isOpenPaymentOrder,
  listPaymentOrders,
  listUnopenedInstallments,
  lockPaymentOrder,
  markCheckoutOpened,
  markPaymentOrderSwept,
  extendExpiry,
} from './payment-orders.store.ts';
export {
  findUnmatchedPayment,
  lockUnmatchedPayment,
  recordUnmatchedAsRefunded,
} from './unmatched-payments.ts';
export { expirePaymentOrders } from './payments.states.ts';
export { findMoneyDoubt } from './doubted-payments.store.ts';
export { closedInstallmentPollMs, pollForResolution, pollGatewaysOfOrder } from './poll-gateway.ts';
export { createPaymentMetrics } from './payments.metrics.ts';
export {
  paymentOrderOperatorView,
  paymentOrderSchema,
  presentAttempt,
  presentPaymentOrder,
  type PaymentOrderView,
} from './payments.schemas.ts';
export {
  paymentMethods,
  type HeldPayment,
  type PaymentMethod,
  type PaymentOrder,
  type PaymentOrderRequest,
  type PaymentsDeps,
} from './payments.types.ts';
