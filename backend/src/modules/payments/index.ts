export type { GatewayWish } from './choose-gateway.ts';
export type { HeldPayment } from './held-payment.store.ts';
export { createPayments, type Payments, type PaymentsDeps } from './create-payments.ts';
export type { InsertPaymentOrder, PaymentOrderRequest } from './insert-payment-order.ts';
export {
  payableOrderStatuses,
  type OrderSettlement,
  type PayableOrder,
  type PayableOrderStatus,
  type SettlementInfo,
} from './order-settlement.ts';
export { createPaymentMetrics, type PaymentMetrics } from './payments.metrics.ts';
export { paymentOrderSchema, type PaymentOrderView } from './payments.schemas.ts';
export {
  paymentMethods,
  type PaymentMethod,
  type PaymentOrder,
  type PaymentOrderStatus,
  type PaymentReviewCode,
} from './payments.types.ts';
export type { MoneyProof, ReviewPayments } from './review-payments.ts';
