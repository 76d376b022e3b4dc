export { createPayments, type Payments } from './create-payments.ts';
export { listDueDebits, sealMandateToken } from './debits.store.ts';
export { isTurnedDownEverywhere } from './gateway-attempts.store.ts';
export { createGatewayAdminRoutes } from './gateways.admin.routes.ts';
export type { HeldPayments, RefundState } from './held-payments.ts';
export {
  findPaymentOrder,
  listPaymentOrders,
  listUnopenedInstallments,
} from './payment-orders.store.ts';
export { hasOpenReversal } from './gateway-payments.store.ts';
export { createPaymentMetrics } from './payments.metrics.ts';
export {
  paymentOrderOperatorView,
  paymentOrderSchema,
  type PaymentOrderView,
} from './payments.schemas.ts';
export {
  paymentMethods,
  type HeldPayment,
  type PaymentMethod,
  type PaymentOrder,
  type PaymentOrderRequest,
} from './payments.types.ts';
