import { toSafePaise } from '../../../money/index.ts';
import { done, mapDone, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import type { CreateGatewayOrder, GatewayOrder, PaymentGateway } from '../port.ts';
import * as facts from './razorpay.facts.ts';
import {
  listPaymentsOf,
  createRazorpayCalls,
  type RazorpayCalls,
} from './create-razorpay-calls.ts';
import { disputesAnswer, orderAnswer, ordersAnswer, refundsAnswer } from './razorpay.schemas.ts';
import { createRazorpayDebits } from './create-razorpay-debits.ts';
import type { RazorpayConfig } from './razorpay.config.ts';
import { readRazorpayEvent } from './read-razorpay-event.ts';

type Orders = Pick<
  PaymentGateway,
  'createOrder' | 'findOrderByReceipt' | 'getOrder' | 'listPayments' | 'getRefunds' | 'getDisputes'
>;

const inPath = encodeURIComponent;

/** Creates orders, and reads them with their payments, refunds and disputes. */
const createRazorpayOrders = (calls: RazorpayCalls): Orders => {
  const { get, getAll, post } = calls;

  const findOrderByReceipt = async (
    receipt: string,
  ): Promise<Outcome<GatewayOrder | undefined>> => {
    const query = facts.receiptQuery(receipt);
    const listed = await get('get-order', facts.paths.orders, ordersAnswer, query);
    if (listed.kind !== 'done') return listed;
    const { items } = listed.value;
    const found = items.filter((order) => order.receipt === receipt);
    // A list that was not narrowed proves nothing about ours.
    if (found.length === 0 && items.length > 0) return unknown('LIST_NOT_NARROWED');
    // One receipt has one order; should it ever have more, the one that took money counts.
    return done(found.find(({ status }) => status === 'PAID') ?? found.at(-1));
  };

  const send = ({ receipt, amountPaise, currency, customer }: CreateGatewayOrder) =>
    post(
      {
        operation: 'create-order',
        path: facts.paths.orders,
        json: {
          amount: toSafePaise(amountPaise),
          currency,
          receipt,
          notes: { [facts.contactNote]: customer.phone },
        },
      },
      orderAnswer,
    );

  return {
    // An order can't be told when to stop taking payments: a late capture is for the caller.
    async createOrder(order) {
      const made = await send(order);
      if (made.kind !== 'refused' || !facts.saysReceiptIsUsed(made.message)) return made;
      const found = await findOrderByReceipt(order.receipt);
      if (found.kind === 'done' && found.value !== undefined) return done(found.value);
      return unknown('RECEIPT_USED_ORDER_NOT_FOUND');
    },

    findOrderByReceipt,

    getOrder: (gatewayOrderId) =>
      get('get-order', facts.paths.order(inPath(gatewayOrderId)), orderAnswer),

    async listPayments(gatewayOrderId) {
      return mapDone(await listPaymentsOf(calls, gatewayOrderId), (payments) =>
        payments.map(({ debitKey: _key, ...payment }) => payment),
      );
    },

    getRefunds: ({ gatewayPaymentId }) =>
      getAll('get-refund', facts.paths.refundsOfPayment(inPath(gatewayPaymentId)), refundsAnswer),

    // There is no list of one payment's disputes; disputes are few, so all of them are read.
    async getDisputes({ gatewayPaymentId }) {
      const listed = await getAll('get-dispute', facts.paths.disputes, disputesAnswer);
      return mapDone(listed, (disputes) =>
        disputes
          .filter((dispute) => dispute.gatewayPaymentId === gatewayPaymentId)
          .map(({ gatewayPaymentId: _payment, ...dispute }) => dispute),
      );
    },
  };
};

/** Razorpay as a payment gateway; the wire's facts are in `razorpay.facts.ts`. */
export const createRazorpayGateway = (
  config: RazorpayConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const calls = createRazorpayCalls(config, deps);
  return {
    code: 'razorpay',
    publicKey: config.RAZORPAY_KEY_ID,
    credentials: facts.credentialsOf(config.RAZORPAY_KEY_ID),
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
        signature: headers[facts.signatureHeader],
        encoding: 'hex',
        secrets: config.RAZORPAY_WEBHOOK_SECRETS,
      });
      if (!isGenuine) return { valid: false };
      const event = readRazorpayEvent(rawBody);
      return { valid: true, ...eventIdIn(headers, facts.eventIdHeader), event };
    },

    isAvailable: () => calls.isAvailable(),
    close: () => calls.close(),
  };
};
