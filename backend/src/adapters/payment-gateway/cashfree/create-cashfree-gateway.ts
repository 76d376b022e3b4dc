import { formatRupees } from '../../../money/index.ts';
import { jsonNumber } from '../../../platform/http-client/index.ts';
import { done, mapDone, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import {
  GATEWAY_NOT_FOUND,
  type VerifiedWebhook,
  type WebhookDelivery,
  type CreateGatewayOrder,
  type GatewayOrder,
  type GatewayPayment,
  type PaymentGateway,
} from '../port.ts';
import * as facts from './cashfree.facts.ts';
import * as answers from './cashfree.schemas.ts';
import { readCashfreeEvent } from './read-cashfree-event.ts';
import type { CashfreeConfig } from './cashfree.config.ts';
import { createCashfreeCalls, resolveRepeat } from './create-cashfree-calls.ts';
import { createCashfreeDebits } from './create-cashfree-debits.ts';

/**
 * Checks a webhook's signature: base64 HMAC-SHA256 of the timestamp and the raw body under one of
 * the client secrets in force. A body that was parsed and printed again has another signature, for
 * 170.00 becomes 170.
 *
 * The age of the timestamp is not judged: Cashfree retries for hours and resends on request, and a
 * delivery refused for its age would be a capture lost. A replay is harmless, because an event is
 * accepted once by its id and by its body, and its effect is once per payment.
 */
const verifyCashfreeWebhook = (
  secrets: readonly string[],
  { rawBody, headers }: WebhookDelivery,
): VerifiedWebhook => {
  const timestamp = headers[facts.headers.webhookTimestamp];
  if (typeof timestamp !== 'string' || !/^\d{1,17}$/u.test(timestamp)) return { valid: false };
  const isGenuine = isSigned({
    message: Buffer.concat([Buffer.from(timestamp, 'utf8'), rawBody]),
    signature: headers[facts.headers.webhookSignature],
    encoding: 'base64',
    secrets,
  });
  if (!isGenuine) return { valid: false };
  return {
    valid: true,
    ...eventIdIn(headers, facts.headers.webhookEventId),
    event: readCashfreeEvent(rawBody),
  };
};

/** The reason of a question that Cashfree can't be asked without the order's id. */
const NO_ORDER_ID = 'NO_ORDER_ID';

/**
 * Cashfree's payment gateway (contract: payments-and-webhooks > Cashfree). Its `order_id` is ours to
 * choose: the receipt is the order's id, and both the key against repeats and the way back.
 */
export const createCashfreeGateway = (
  config: CashfreeConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const { clock } = deps;
  const calls = createCashfreeCalls(config, deps);
  const { get, post, close, isAvailable } = calls;
  const { debitMandate, listCharges } = createCashfreeDebits({ calls, clock });

  const readOrder = (id: string) => get('get-order', facts.paths.order(id), answers.orderAnswer);

  const getOrder = async (id: string): Promise<Outcome<GatewayOrder>> =>
    mapDone(await readOrder(id), ({ order }) => order);

  const orderBody = ({ receipt, amountPaise, currency, ...asked }: CreateGatewayOrder) => {
    const { customer, expiresAt, mandateToken } = asked;
    const shortestMs = config.CASHFREE_MIN_EXPIRY_SECONDS * 1000;
    return {
      order_id: receipt,
      order_amount: jsonNumber(formatRupees(amountPaise)),
      order_currency: currency,
      customer_details: {
        customer_id: facts.customerId(customer.id),
        customer_phone: facts.customerPhone(customer.phone),
        customer_email: customer.email,
        customer_name: customer.name,
      },
      order_expiry_time:
        expiresAt && facts.orderExpiry(expiresAt, clock.now(), shortestMs).toISOString(),
      order_tags: mandateToken === undefined ? undefined : { [facts.mandateTag]: mandateToken },
    };
  };

  return {
    code: 'cashfree',
    publicKey: config.CASHFREE_CLIENT_ID,
    credentials: facts.credentialsOf({
      baseUrl: config.CASHFREE_BASE_URL,
      clientId: config.CASHFREE_CLIENT_ID,
      clientSecret: config.CASHFREE_CLIENT_SECRET,
    }),
    close,
    isAvailable,
    debitMandate,
    getOrder,
    verifyWebhook: (delivery) => verifyCashfreeWebhook(config.CASHFREE_WEBHOOK_SECRETS, delivery),

    async createOrder(asked) {
      const { receipt } = asked;
      const made = await post(
        {
          operation: 'create-order',
          path: facts.paths.orders,
          json: orderBody(asked),
          idempotencyKey: receipt,
        },
        answers.orderAnswer,
      );
      const order = await resolveRepeat(made, () => readOrder(receipt));
      return mapDone(order, (answer) => answer.order);
    },

    async findOrderByReceipt(receipt) {
      const found = await getOrder(receipt);
      return found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND ? done(undefined) : found;
    },

    async listPayments(gatewayOrderId): Promise<Outcome<readonly GatewayPayment[]>> {
      const [order, payments] = await Promise.all([
        readOrder(gatewayOrderId),
        get('list-payments', facts.paths.payments(gatewayOrderId), answers.paymentsAnswer),
      ]);
      if (order.kind !== 'done') return order;
      const { mandate } = order.value;
      if (payments.kind !== 'done' || mandate === undefined) return payments;
      const charges = await listCharges(mandate, gatewayOrderId);
      return mapDone(charges, (listed) => [...payments.value, ...listed]);
    },

    async getRefunds({ gatewayPaymentId, gatewayOrderId }) {
      if (gatewayOrderId === null) return unknown(NO_ORDER_ID);
      const path = facts.paths.refunds(gatewayOrderId);
      return mapDone(await get('get-refund', path, answers.refundsAnswer), (refunds) =>
        refunds.flatMap((one) => (one.gatewayPaymentId === gatewayPaymentId ? [one.refund] : [])),
      );
    },

    getDisputes: ({ gatewayPaymentId }) =>
      get('get-dispute', facts.paths.disputes(gatewayPaymentId), answers.disputesAnswer),

    /**
     * Cashfree signs nothing for the customer's device, and its checkout hands out no payment's id
     * either: the proof names the order, or one of the order's payments, and the gateway is asked.
     * Its signature is not read.
     */
    async verifyCheckout({ gatewayOrderId, gatewayPaymentId }) {
      const path = facts.paths.payments(gatewayOrderId);
      const listed = await get('list-payments', path, answers.paymentsAnswer);
      return mapDone(
        listed,
        (payments) =>
          gatewayPaymentId === gatewayOrderId ||
          payments.some((payment) => payment.gatewayPaymentId === gatewayPaymentId),
      );
    },
  };
};
