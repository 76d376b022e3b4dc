import { expect } from 'vitest';
import { z } from 'zod';
import type { Answer } from './caller.ts';
import { eventually } from './eventually.ts';

/** A gold order as its customer sees it, with the fields that stories look at. */
const orderSchema = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  amount_inr: z.string(),
  grams: z.string().nullable(),
  rounding_paise: z.number().nullable(),
  sg_tx_id: z.string().nullable(),
  expires_at: z.string().nullable(),
  manual_review_code: z.string().nullish(),
  manual_review_reason: z.string().nullish(),
});
type OrderView = z.output<typeof orderSchema>;

const paymentSchema = z.object({
  id: z.string(),
  order_id: z.string(),
  gateway_order_id: z.string().nullable(),
  amount_paise: z.number(),
  currency: z.string(),
  status: z.string(),
  paid_at: z.string().nullable(),
  checkout: z.object({ gateway_order_id: z.string(), amount_minor: z.number() }).optional(),
});
type PaymentView = z.output<typeof paymentSchema>;

const buySchema = z.object({ order: orderSchema, payment: paymentSchema, sg_tx_id: z.string() });
const quoteSchema = z.object({
  id: z.string(),
  grams: z.string(),
  totalPaise: z.number(),
  status: z.string(),
});
const portfolioSchema = z.object({
  balance: z.string(),
  reserved: z.string(),
  investedPaise: z.number(),
});

/** A buy order that waits for its payment. */
export interface PlacedBuy {
  readonly key: string;
  readonly orderId: string;
  readonly paymentOrderId: string;
  readonly gatewayOrderId: string;
  readonly txId: string;
  readonly amountPaise: number;
}

export interface Who {
  readonly userId: string;
  readonly phone: string;
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

const expectStatus = (answer: Answer, status: number): Answer['body'] => {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  return answer.body;
};

let keys = 0;
/** An idempotency key that no other buy of this run has. */
export const newKey = (): string => `story-key-${process.pid}-${(keys += 1)}`;

/** Reads the ids and the amount from a 201 or 200 of `POST /gold/buy`. */
export const placedOf = (body: unknown, key: string): PlacedBuy => {
  const buy = buySchema.parse(body);
  return {
    key,
    orderId: buy.order.id,
    paymentOrderId: buy.payment.id,
    gatewayOrderId: buy.payment.gateway_order_id ?? '',
    txId: buy.sg_tx_id,
    amountPaise: buy.payment.amount_paise,
  };
};

/** Creates the actions of a customer, which go through the API alone. */
export const createTestCustomer = (who: Who, call: Call, callAt: (url: string) => Call) => {
  const order = async (orderId: string): Promise<OrderView> =>
    orderSchema.parse(expectStatus(await call('GET', `/gold/orders/${orderId}`), 200));

  const payment = async (paymentOrderId: string): Promise<PaymentView> =>
    paymentSchema.parse(expectStatus(await call('GET', `/payments/orders/${paymentOrderId}`), 200));

  return {
    ...who,
    call,
    /** The same customer at another replica. */
    callAt,
    order,
    payment,

    /** `POST /gold/buy` as it is answered. */
    requestBuy: (amount: string, key = newKey(), unit = 'INR'): Promise<Answer> =>
      call('POST', '/gold/buy', { unit, amount, idempotency_key: key }),

    /** A new buy, waiting to be paid. */
    async buy(amount = '1000.00', key = newKey()): Promise<PlacedBuy> {
      const answer = await call('POST', '/gold/buy', { unit: 'INR', amount, idempotency_key: key });
      return placedOf(expectStatus(answer, 201), key);
    },

    async quote(amount = '1000.00', unit = 'INR') {
      const answer = await call('POST', '/gold/quote', { unit, amount });
      return quoteSchema.parse(expectStatus(answer, 201));
    },

    /** `POST /payments/orders/:id/verify` with what the checkout gave to the device. */
    verify: (
      paymentOrderId: string,
      proof: { gateway_order_id: string; gateway_payment_id: string; signature: string },
    ): Promise<Answer> => call('POST', `/payments/orders/${paymentOrderId}/verify`, proof),

    /** `POST /payments/orders` as it is answered. */
    requestPayment: (quoteId: string, key = newKey(), more: object = {}): Promise<Answer> =>
      call('POST', '/payments/orders', { quote_id: quoteId, idempotency_key: key, ...more }),

    async portfolio() {
      return portfolioSchema.parse(expectStatus(await call('GET', '/portfolio'), 200));
    },

    /** Waits until the order reads so. */
    becomes: (
      orderId: string,
      status: string,
      options: { code?: string; timeoutMs?: number } = {},
    ): Promise<OrderView> =>
      eventually(
        async () => {
          const seen = await order(orderId);
          const { status: now, manual_review_code: code = null } = seen;
          expect({ status: now, code }).toEqual({ status, code: options.code ?? null });
          return seen;
        },
        { timeoutMs: options.timeoutMs ?? 60_000, everyMs: 100 },
      ),
  };
};

export type TestCustomer = ReturnType<typeof createTestCustomer>;
