import { toSafePaise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import type { PaymentOrderView } from './payments.schemas.ts';
import type { PaymentOrder } from './payments.types.ts';

interface PresentDeps {
  readonly gateways: GatewaysByCode;
  readonly clock: Clock;
}

/** The checkout, while the payment order can be paid: its end is the price lock's. */
const checkoutOf = (order: PaymentOrder, { gateways, clock }: PresentDeps) => {
  const gateway = gateways.get(order.gateway);
  const { gatewayOrderId, expiresAt } = order;
  if (order.status !== 'GATEWAY_ORDER_CREATED' || gatewayOrderId === null) return undefined;
  if (gateway === undefined || (expiresAt !== null && clock.now() >= expiresAt)) return undefined;
  return {
    provider: order.gateway,
    public_key: gateway.publicKey,
    gateway_order_id: gatewayOrderId,
    amount_minor: toSafePaise(order.amountPaise),
    currency: order.currency,
  };
};

/** Makes the view of a payment order (decisions, section 4). */
export const createPaymentOrderPresenter =
  (deps: PresentDeps) =>
  (order: PaymentOrder): PaymentOrderView => {
    const checkout = checkoutOf(order, deps);
    return {
      id: order.id,
      order_id: order.orderId,
      gateway: order.gateway,
      gateway_order_id: order.gatewayOrderId,
      amount_paise: toSafePaise(order.amountPaise),
      currency: order.currency,
      status: order.status,
      method: order.method,
      ...(checkout !== undefined && { checkout }),
      created_at: order.createdAt.toISOString(),
      paid_at: order.paidAt?.toISOString() ?? null,
    };
  };
