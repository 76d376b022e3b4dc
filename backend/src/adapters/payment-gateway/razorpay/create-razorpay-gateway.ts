import type { z } from 'zod';
import type { HttpResponse } from '../../../platform/http-client/index.ts';
import {
  done,
  mapDone,
  refused,
  unknown,
  type Outcome,
} from '../../../platform/outcome/outcome.ts';
import { toSafePaise } from '../../../money/index.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { basicAuthorization, withoutNumbers } from '../../http-texts.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import { checkAnswer } from '../../check-answer.ts';
import { checkOrder, checkPayments } from '../check-order.ts';
import { createGatewayCalls, type GatewayCalls } from '../create-gateway-calls.ts';
import {
  GATEWAY_NOT_FOUND,
  GATEWAY_REFUSED,
  type PaymentGateway,
  type CreateGatewayOrder,
  type GatewayOrder,
} from '../port.ts';
import type { RazorpayConfig } from './razorpay.config.ts';
import { readRazorpayEvent } from './read-razorpay-event.ts';
import * as wire from './razorpay.wire.ts';

/** The calls to Razorpay, whose lists come in pages. */
interface RazorpayCalls extends GatewayCalls {
  /** Gets every page of a list; unknown when it has more pages than are read. */
  readonly getAll: <T>(
    operation: string,
    path: string,
    answer: z.ZodType<{ readonly items: readonly T[] }>,
  ) => Promise<Outcome<readonly T[]>>;
}

/** Reads the gateway's refusal. Its text is for our logs, and may quote what it refuses. */
const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = wire.errorAnswer.safeParse(json);
  if (!wire.refusalStatuses.has(status) || !error.success) return undefined;
  const { code, description } = error.data.error;
  const message = `${code}: ${withoutNumbers(description).slice(0, 200)}`;
  return refused(
    wire.saysNotFound(status, description) ? GATEWAY_NOT_FOUND : GATEWAY_REFUSED,
    message,
  );
};

const createRazorpayCalls = (config: RazorpayConfig, deps: AdapterDeps): RazorpayCalls => {
  const calls = createGatewayCalls(
    {
      name: 'razorpay',
      baseUrl: config.RAZORPAY_BASE_URL,
      timeoutMs: config.RAZORPAY_TIMEOUT_MS,
      headers: {
        authorization: basicAuthorization(config.RAZORPAY_KEY_ID, config.RAZORPAY_KEY_SECRET),
      },
      readRefusal,
    },
    deps,
  );
  return {
    ...calls,
    async getAll<T>(
      operation: string,
      path: string,
      answer: z.ZodType<{ readonly items: readonly T[] }>,
    ) {
      const all: T[] = [];
      for (let page = 0; page < wire.maximumPages; page += 1) {
        const found = await calls.get(operation, path, answer, wire.pageQuery(page));
        if (found.kind !== 'done') return found;
        all.push(...found.value.items);
        if (found.value.items.length < wire.pageSize) return done(all);
      }
      return unknown('LIST_TOO_LONG');
    },
  };
};

/** Lists the payments of an order with the keys of debits (page api/orders/fetch-payments). */
const listPaymentsOf = async (
  { get }: Pick<RazorpayCalls, 'get'>,
  gatewayOrderId: string,
): Promise<Outcome<readonly wire.ListedPayment[]>> => {
  const path = wire.paths.paymentsOfOrder(encodeURIComponent(gatewayOrderId));
  const listed = await get('list-payments', path, wire.paymentsAnswer);
  return checkPayments(
    mapDone(listed, ({ items }) => items),
    gatewayOrderId,
  );
};

type Debits = Required<Pick<PaymentGateway, 'debitMandate' | 'debitsHaveKey'>>;

/**
 * Debits mandates by recurring payments (page api/payments/recurring-payments), which have no
 * idempotency key: the debit of a key is looked for among the order's payments before it is made.
 * The caller makes one debit of an order at a time, and repeats none that may be on its way. A
 * mandate is debited only for an order of the customer who gave it, recognised by the phone number,
 * because the token is the caller's to choose.
 */
const createRazorpayDebits = (calls: RazorpayCalls): Debits => ({
  debitsHaveKey: false,

  async debitMandate({ gatewayOrderId, mandateToken, amountPaise, currency, idempotencyKey }) {
    const [, customerId, token] = wire.mandateTokenPattern.exec(mandateToken) ?? [];
    if (customerId === undefined || token === undefined) {
      return refused(GATEWAY_REFUSED, 'the mandate token is not cust_ID/token_ID');
    }
    const listed = await listPaymentsOf(calls, gatewayOrderId);
    if (listed.kind !== 'done') return listed;
    const known = listed.value.find(({ debitKey }) => debitKey === idempotencyKey);
    if (known !== undefined) return done({ gatewayDebitId: known.gatewayPaymentId });
    const customer = checkAnswer(
      await calls.get('get-customer', wire.paths.customer(customerId), wire.customerAnswer),
      ({ id }) => id === customerId,
    );
    if (customer.kind !== 'done') return customer;
    const { email, contact } = customer.value;
    const order = checkAnswer(
      await calls.get(
        'get-order',
        wire.paths.order(encodeURIComponent(gatewayOrderId)),
        wire.orderContactAnswer,
      ),
      ({ id }) => id === gatewayOrderId,
    );
    if (order.kind !== 'done') return order;
    if (!wire.isSameContact(order.value.notes[wire.contactNote] ?? '', contact)) {
      return refused(GATEWAY_REFUSED, 'the mandate is of another customer');
    }
    const debited = await calls.post(
      {
        operation: 'debit',
        path: wire.paths.recurring,
        json: {
          email,
          contact,
          amount: toSafePaise(amountPaise),
          currency,
          order_id: gatewayOrderId,
          customer_id: customerId,
          token,
          recurring: wire.recurringFlag,
          description: 'Installment',
          notes: { [wire.debitKeyNote]: idempotencyKey },
        },
      },
      wire.recurringAnswer,
    );
    return mapDone(debited, ({ razorpay_payment_id: id }) => ({ gatewayDebitId: id }));
  },
});

type Orders = Pick<
  PaymentGateway,
  'createOrder' | 'findOrderByReceipt' | 'getOrder' | 'listPayments' | 'getRefunds' | 'getDisputes'
>;

const inPath = encodeURIComponent;

const findOrderByReceipt = async (
  { get }: RazorpayCalls,
  receipt: string,
): Promise<Outcome<GatewayOrder | undefined>> => {
  const query = wire.receiptQuery(receipt);
  const listed = await get('get-order', wire.paths.orders, wire.ordersAnswer, query);
  if (listed.kind !== 'done') return listed;
  const { items } = listed.value;
  const found = items.filter((order) => order.receipt === receipt);
  // A list that was not narrowed proves nothing about ours.
  if (found.length === 0 && items.length > 0) return unknown('LIST_NOT_NARROWED');
  // One receipt has one order; should it ever have more, the one that took money counts.
  return done(found.find(({ status }) => status === 'PAID') ?? found.at(-1));
};

const sendOrder = (
  { post }: RazorpayCalls,
  { receipt, amountPaise, currency, customer }: CreateGatewayOrder,
) =>
  post(
    {
      operation: 'create-order',
      path: wire.paths.orders,
      json: {
        amount: toSafePaise(amountPaise),
        currency,
        receipt,
        notes: { [wire.contactNote]: customer.phone },
      },
    },
    wire.orderAnswer,
  );

/** Creates orders, and reads them with their payments, refunds and disputes. */
const createRazorpayOrders = (calls: RazorpayCalls): Orders => ({
  // An order can't be given an expiry: a late capture is for the caller to handle.
  async createOrder(order) {
    const made = await sendOrder(calls, order);
    if (made.kind !== 'refused' || !wire.saysReceiptIsUsed(made.message)) return made;
    const found = await findOrderByReceipt(calls, order.receipt);
    if (found.kind === 'done' && found.value !== undefined) return done(found.value);
    return unknown('RECEIPT_USED_ORDER_NOT_FOUND');
  },

  findOrderByReceipt: (receipt) => findOrderByReceipt(calls, receipt),

  async getOrder(gatewayOrderId) {
    const path = wire.paths.order(inPath(gatewayOrderId));
    return checkOrder(await calls.get('get-order', path, wire.orderAnswer), gatewayOrderId);
  },

  async listPayments(gatewayOrderId) {
    return mapDone(await listPaymentsOf(calls, gatewayOrderId), (payments) =>
      payments.map(({ debitKey: _key, ...payment }) => payment),
    );
  },

  async getRefunds({ gatewayPaymentId }) {
    const path = wire.paths.refundsOfPayment(inPath(gatewayPaymentId));
    const listed = checkAnswer(
      await calls.getAll('get-refund', path, wire.refundsAnswer),
      (refunds) => refunds.every((refund) => refund.gatewayPaymentId === gatewayPaymentId),
    );
    return mapDone(listed, (refunds) =>
      refunds.map(({ gatewayPaymentId: _payment, ...refund }) => refund),
    );
  },

  // There is no list of one payment's disputes; disputes are few, so all of them are read.
  async getDisputes({ gatewayPaymentId }) {
    const listed = await calls.getAll('get-dispute', wire.paths.disputes, wire.disputesAnswer);
    return mapDone(listed, (disputes) =>
      disputes
        .filter((dispute) => dispute.gatewayPaymentId === gatewayPaymentId)
        .map(({ gatewayPaymentId: _payment, ...dispute }) => dispute),
    );
  },
});

/** Creates Razorpay's payment gateway; the wire's facts are in `razorpay.wire.ts`. */
export const createRazorpayGateway = (
  config: RazorpayConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const calls = createRazorpayCalls(config, deps);
  return {
    code: 'razorpay',
    publicKey: config.RAZORPAY_KEY_ID,
    credentials: wire.credentialsOf(config.RAZORPAY_KEY_ID),
    ...createRazorpayOrders(calls),
    ...createRazorpayDebits(calls),

    // payments/payment-gateway/web-integration/standard: hex HMAC-SHA256 under the key secret.
    verifyCheckout: ({ gatewayOrderId, gatewayPaymentId, signature }) =>
      Promise.resolve(
        done(
          isSigned({
            message: `${gatewayOrderId}|${gatewayPaymentId}`,
            signature,
            encoding: 'hex',
            secrets: [config.RAZORPAY_KEY_SECRET],
          }),
        ),
      ),

    verifyWebhook({ rawBody, headers }) {
      const isGenuine = isSigned({
        message: rawBody,
        signature: headers[wire.signatureHeader],
        encoding: 'hex',
        secrets: config.RAZORPAY_WEBHOOK_SECRETS,
      });
      if (!isGenuine) return { valid: false };
      const event = readRazorpayEvent(rawBody);
      return { valid: true, ...eventIdIn(headers, wire.eventIdHeader), event };
    },

    isAvailable: () => calls.isAvailable(),
    close: () => calls.close(),
  };
};
