import { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import { exampleOf, opaqueText } from '../../platform/http/index.ts';
import { gatewayAttemptStatuses, type GatewayAttempt } from './gateway-attempts.store.ts';
import { paymentOrderStatuses, type PaymentOrder, type PaymentsDeps } from './payments.types.ts';

/** The data that a client passes to the gateway's checkout. It holds no secret. */
const checkoutSchema = z.object({
  provider: z.string(),
  public_key: z.string(),
  gateway_order_id: z.string(),
  session: z.string().optional(),
  amount_minor: z.int().positive(),
  currency: z.string(),
});
checkoutSchema.register(z.globalRegistry, {
  id: 'Checkout',
  description: "The parameters that a client passes to the gateway's checkout. None is secret.",
  examples: [
    {
      provider: 'sandbox',
      public_key: 'sbx_key_public',
      gateway_order_id: 'sbx_order_1001',
      amount_minor: 100_050,
      currency: 'INR',
    },
  ],
});

/**
 * A payment order as its customer sees it (contract: payments-and-webhooks > Payment order view).
 */
export const paymentOrderSchema = z.object({
  id: z.uuid(),
  order_id: z.uuid(),
  gateway: z.string(),
  gateway_order_id: z.string().nullable(),
  amount_paise: z.int().positive(),
  currency: z.string(),
  status: z.enum(paymentOrderStatuses),
  method: z.string().nullable(),
  checkout: checkoutSchema.optional(),
  created_at: z.iso.datetime(),
  paid_at: z.iso.datetime().nullable(),
});
paymentOrderSchema.register(z.globalRegistry, {
  id: 'PaymentOrder',
  description: 'The payment of one gold order.',
  examples: [
    {
      id: '0199d8f2-8c2e-7f60-9e77-5b3c8d9eaf12',
      order_id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      gateway: 'sandbox',
      gateway_order_id: 'sbx_order_1001',
      amount_paise: 100_050,
      currency: 'INR',
      status: 'PAID',
      method: 'upi',
      created_at: '2026-01-15T09:30:00.000Z',
      paid_at: '2026-01-15T09:30:00.000Z',
    },
  ],
});

const attemptView = z.object({
  gateway: z.string(),
  status: z.enum(gatewayAttemptStatuses),
  gateway_order_id: z.string().nullable(),
  detail: z.string().nullable(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
});
attemptView.register(z.globalRegistry, {
  id: 'GatewayAttempt',
  description: 'One attempt to create an order at a gateway, and its outcome.',
  examples: [
    {
      gateway: 'sandbox',
      status: 'DONE',
      gateway_order_id: 'sbx_order_1001',
      detail: null,
      started_at: '2026-01-15T09:30:00.000Z',
      ended_at: '2026-01-15T09:30:00.000Z',
    },
  ],
});

/** A payment order as operators see it, with every attempt to create its gateway order. */
export const paymentOrderOperatorView = paymentOrderSchema.extend({
  attempts: z.array(attemptView),
});
paymentOrderOperatorView.register(z.globalRegistry, {
  id: 'OperatorPaymentOrder',
  description: 'A payment order as operators see it, with the gateways that were tried.',
  examples: [{ ...exampleOf(paymentOrderSchema), attempts: [exampleOf(attemptView)] }],
});

/** The proof that the checkout gave to the customer's device. */
export const verifyBodySchema = z.object({
  gateway_order_id: opaqueText(128),
  gateway_payment_id: opaqueText(128),
  signature: opaqueText(512),
});
verifyBodySchema.register(z.globalRegistry, {
  id: 'VerifyPaymentRequest',
  examples: [
    {
      gateway_order_id: 'sbx_order_1001',
      gateway_payment_id: 'sbx_pay_1001',
      signature: '5f2b8d0c1e9a47f3',
    },
  ],
});

export const verifyReplySchema = z.object({
  verified: z.literal(true),
  payment: paymentOrderSchema,
});
verifyReplySchema.register(z.globalRegistry, {
  id: 'VerifiedPayment',
  description: 'A payment whose proof from the checkout was verified.',
  examples: [{ verified: true, payment: exampleOf(paymentOrderSchema) }],
});

export const webhookParamsSchema = z.object({ gateway: z.string().max(64) });

export type PaymentOrderView = z.output<typeof paymentOrderSchema>;
export type VerifyBody = z.output<typeof verifyBodySchema>;

type PresentDeps = Pick<PaymentsDeps, 'gateways' | 'clock'>;

/** Returns the checkout of a payment order, or undefined if it can't be paid at a checkout now. */
const checkoutOf = ({ gateways, clock }: PresentDeps, order: PaymentOrder) => {
  const gateway = gateways.get(order.gateway);
  const { gatewayOrderId, expiresAt } = order;
  if (order.status !== 'GATEWAY_ORDER_CREATED' || gatewayOrderId === null) return undefined;
  // The payment order is debited under a mandate, so a customer with a checkout could pay twice.
  if (order.debitDueAt !== null) return undefined;
  if (gateway === undefined || (expiresAt !== null && clock.now() >= expiresAt)) return undefined;
  return {
    provider: order.gateway,
    public_key: gateway.publicKey,
    gateway_order_id: gatewayOrderId,
    ...(order.checkoutSession !== null && { session: order.checkoutSession }),
    amount_minor: toSafePaise(order.amountPaise),
    currency: order.currency,
  };
};

export const presentPaymentOrder = (deps: PresentDeps, order: PaymentOrder): PaymentOrderView => {
  const checkout = checkoutOf(deps, order);
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

export const presentAttempt = (attempt: GatewayAttempt) => ({
  gateway: attempt.gateway,
  status: attempt.status,
  gateway_order_id: attempt.gatewayOrderId,
  detail: attempt.detail,
  started_at: attempt.startedAt.toISOString(),
  ended_at: attempt.endedAt?.toISOString() ?? null,
});
