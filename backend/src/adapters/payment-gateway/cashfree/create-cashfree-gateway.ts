import type { z } from 'zod';
import { type HttpResponse, jsonNumber } from '../../../platform/http-client/index.ts';
import {
  refused,
  unknown,
  type Outcome,
  done,
  mapDone,
} from '../../../platform/outcome/outcome.ts';
import { formatRupees } from '../../../money/index.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { istDate } from '../../../platform/clock/ist.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import { checkAnswer } from '../../check-answer.ts';
import { checkOrder, checkPayments } from '../check-order.ts';
import { createGatewayCalls, type GatewayCalls } from '../create-gateway-calls.ts';
import {
  CANNOT_SAY,
  GATEWAY_NOT_FOUND,
  GATEWAY_REFUSED,
  type GatewayPayment,
  type MandateDebit,
  type VerifiedWebhook,
  type WebhookDelivery,
  type CreateGatewayOrder,
  type GatewayOrder,
  type PaymentGateway,
} from '../port.ts';
import type { CashfreeConfig } from './cashfree.config.ts';
import { readCashfreeEvent } from './read-cashfree-event.ts';
import * as wire from './cashfree.wire.ts';

/** A refusal of this adapter's own: an earlier request took the id, or its key. */
const ALREADY_REQUESTED = 'CASHFREE_ALREADY_REQUESTED';

interface Post {
  readonly operation: string;
  readonly path: string;
  readonly json: object;
  readonly idempotencyKey: string;
}

/** The calls to Cashfree, whose every creation has a key of its own. */
interface CashfreeCalls extends Omit<GatewayCalls, 'post'> {
  readonly post: <T>(call: Post, answer: z.ZodType<T>) => Promise<Outcome<T>>;
}

const codeOf = (status: number): string => {
  if (status === 404) return GATEWAY_NOT_FOUND;
  return wire.alreadyRequested.has(status) ? ALREADY_REQUESTED : GATEWAY_REFUSED;
};

const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = wire.errorAnswer.safeParse(json);
  if (status < 400 || !error.success) return undefined;
  const { code, type, message } = error.data;
  return refused(codeOf(status), `${code ?? type}: ${message.slice(0, 200)}`);
};

const createCashfreeCalls = (config: CashfreeConfig, deps: AdapterDeps): CashfreeCalls => {
  const calls = createGatewayCalls(
    {
      name: 'cashfree',
      baseUrl: config.CASHFREE_BASE_URL,
      timeoutMs: config.CASHFREE_TIMEOUT_MS,
      headers: {
        [wire.headers.clientId]: config.CASHFREE_CLIENT_ID,
        [wire.headers.clientSecret]: config.CASHFREE_CLIENT_SECRET,
        [wire.headers.apiVersion]: wire.apiVersion,
      },
      readRefusal,
    },
    deps,
  );
  return {
    ...calls,
    post: ({ idempotencyKey, ...call }, answer) =>
      calls.post({ ...call, headers: { [wire.headers.idempotencyKey]: idempotencyKey } }, answer),
  };
};

/**
 * Reads what an earlier request made, where the answer to a repeat says that there was one. While
 * Cashfree shows nothing of it, nobody can say what becomes of that request.
 */
const resolveRepeat = async <T>(
  posted: Outcome<T>,
  read: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> => {
  if (posted.kind !== 'refused' || posted.code !== ALREADY_REQUESTED) return posted;
  const found = await read();
  const isMissing = found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND;
  return isMissing ? unknown(ALREADY_REQUESTED) : found;
};

/** Reads an order by the id that we gave it. */
const readOrder = async (get: CashfreeCalls['get'], id: string) =>
  checkAnswer(
    await get('get-order', wire.paths.order(id), wire.orderAnswer),
    ({ order }) => order.gatewayOrderId === id,
  );

/** Lists the payments of an order's checkout. */
const readPayments = async (get: CashfreeCalls['get'], id: string) =>
  checkPayments(await get('list-payments', wire.paths.payments(id), wire.paymentsAnswer), id);

interface CashfreeDebitsDeps {
  readonly calls: CashfreeCalls;
  readonly clock: Clock;
}

interface CashfreeDebits {
  readonly debitMandate: (
    debit: MandateDebit,
  ) => Promise<Outcome<{ readonly gatewayDebitId: string }>>;
  /** Lists the charge that was made for an order under its mandate: none, or one. */
  readonly listCharges: (
    subscriptionId: string,
    orderId: string,
  ) => Promise<Outcome<readonly GatewayPayment[]>>;
}

/**
 * Debits under a mandate, which at Cashfree is a subscription: the mandate token is its
 * `subscription_id`. A charge hangs on the subscription and not on an order, so it carries the
 * order's id as its own `payment_id`, and the order names the subscription in a tag.
 */
const createCashfreeDebits = ({
  calls: { get, post },
  clock,
}: CashfreeDebitsDeps): CashfreeDebits => {
  const getCharge = async (subscriptionId: string, orderId: string) => {
    const path = wire.paths.charge(subscriptionId, orderId);
    return checkOrder(await get('get-debit', path, wire.chargeAnswer), orderId);
  };

  /**
   * A token comes from a customer's device. It is charged for nobody but the customer whose phone
   * number the mandate was given with, however a token of another may have been come by.
   */
  const checkOwner = async ({
    gatewayOrderId,
    mandateToken,
  }: MandateDebit): Promise<Outcome<true>> => {
    const [order, subscription] = await Promise.all([
      readOrder(get, gatewayOrderId),
      get('get-mandate', wire.paths.subscription(mandateToken), wire.subscriptionAnswer),
    ]);
    const mandate = checkAnswer(subscription, (found) => found.subscription_id === mandateToken);
    if (order.kind !== 'done') return order;
    if (mandate.kind !== 'done') return mandate;
    const { customer_phone: phone } = mandate.value.customer_details;
    return wire.isSamePhone(order.value.customerPhone, phone)
      ? done(true)
      : refused(GATEWAY_REFUSED, 'the mandate is not of the customer of this order');
  };

  return {
    async debitMandate(debit) {
      const { gatewayOrderId, mandateToken, amountPaise, idempotencyKey } = debit;
      if (debit.currency !== wire.chargeCurrency) {
        return refused(GATEWAY_REFUSED, 'a mandate is debited in rupees');
      }
      const owned = await checkOwner(debit);
      if (owned.kind !== 'done') return owned;
      const json = {
        subscription_id: mandateToken,
        payment_id: gatewayOrderId,
        payment_type: wire.chargeType,
        payment_amount: jsonNumber(formatRupees(amountPaise)),
        payment_schedule_date: istDate(clock.now()),
      };
      const request = { operation: 'debit', path: wire.paths.charges, json, idempotencyKey };
      const charge = await resolveRepeat(
        checkOrder(await post(request, wire.chargeAnswer), gatewayOrderId),
        () => getCharge(mandateToken, gatewayOrderId),
      );
      return mapDone(charge, ({ gatewayPaymentId }) => ({ gatewayDebitId: gatewayPaymentId }));
    },

    async listCharges(subscriptionId, orderId) {
      const found = await getCharge(subscriptionId, orderId);
      if (found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND) return done([]);
      return mapDone(found, ({ initiatedAt = clock.now(), ...charge }) => [
        { ...charge, createdAt: initiatedAt },
      ]);
    },
  };
};

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
  const timestamp = headers[wire.headers.webhookTimestamp];
  if (typeof timestamp !== 'string' || !/^\d{1,17}$/u.test(timestamp)) return { valid: false };
  const isGenuine = isSigned({
    message: Buffer.concat([Buffer.from(timestamp, 'utf8'), rawBody]),
    signature: headers[wire.headers.webhookSignature],
    encoding: 'base64',
    secrets,
  });
  if (!isGenuine) return { valid: false };
  return {
    valid: true,
    ...eventIdIn(headers, wire.headers.webhookEventId),
    event: readCashfreeEvent(rawBody),
  };
};

const orderBody = (
  { CASHFREE_MIN_EXPIRY_SECONDS: shortestSeconds }: CashfreeConfig,
  now: Date,
  request: CreateGatewayOrder,
) => {
  const { receipt, amountPaise, currency, customer, expiresAt, mandateToken } = request;
  return {
    order_id: receipt,
    order_amount: jsonNumber(formatRupees(amountPaise)),
    order_currency: currency,
    customer_details: {
      customer_id: wire.customerId(customer.id),
      customer_phone: wire.customerPhone(customer.phone),
      customer_email: customer.email,
      customer_name: customer.name,
    },
    order_expiry_time:
      expiresAt && wire.orderExpiry(expiresAt, now, shortestSeconds * 1000).toISOString(),
    order_tags: mandateToken === undefined ? undefined : { [wire.mandateTag]: mandateToken },
  };
};

type Orders = Pick<PaymentGateway, 'createOrder' | 'findOrderByReceipt' | 'getOrder'>;

/** Creates orders, and reads them. */
const createCashfreeOrders = (
  config: CashfreeConfig,
  calls: CashfreeCalls,
  clock: Clock,
): Orders => {
  const getOrder = async (id: string): Promise<Outcome<GatewayOrder>> =>
    mapDone(await readOrder(calls.get, id), ({ order }) => order);
  return {
    getOrder,

    async createOrder(request) {
      const { receipt } = request;
      const made = await calls.post(
        {
          operation: 'create-order',
          path: wire.paths.orders,
          json: orderBody(config, clock.now(), request),
          idempotencyKey: receipt,
        },
        wire.orderAnswer,
      );
      const order = await resolveRepeat(made, () => readOrder(calls.get, receipt));
      return mapDone(order, (answer) => answer.order);
    },

    async findOrderByReceipt(receipt) {
      const found = await getOrder(receipt);
      return found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND ? done(undefined) : found;
    },
  };
};

/** The code of an unknown outcome: Cashfree can't be queried without the order's id. */
const NO_ORDER_ID = 'NO_ORDER_ID';

type Payments = Pick<
  PaymentGateway,
  'listPayments' | 'getRefunds' | 'getDisputes' | 'verifyCheckout'
>;

/** Reads an order's payments, charges under its mandate included, their refunds and disputes. */
const createCashfreePayments = (
  { get }: CashfreeCalls,
  debits: Pick<CashfreeDebits, 'listCharges'>,
): Payments => ({
  async listPayments(gatewayOrderId): Promise<Outcome<readonly GatewayPayment[]>> {
    const [order, payments] = await Promise.all([
      readOrder(get, gatewayOrderId),
      readPayments(get, gatewayOrderId),
    ]);
    if (order.kind !== 'done') return order;
    const { mandate } = order.value;
    if (payments.kind !== 'done' || mandate === undefined) return payments;
    const charges = await debits.listCharges(mandate, gatewayOrderId);
    return mapDone(charges, (listed) => [...payments.value, ...listed]);
  },

  async getRefunds({ gatewayPaymentId, gatewayOrderId }) {
    if (gatewayOrderId === null) return unknown(NO_ORDER_ID);
    const path = wire.paths.refunds(gatewayOrderId);
    const listed = mapDone(await get('get-refund', path, wire.refundsAnswer), (refunds) =>
      refunds.flatMap((one) => (one.gatewayPaymentId === gatewayPaymentId ? [one.refund] : [])),
    );
    if (listed.kind !== 'done' || listed.value.length > 0) return listed;
    // The refunds of a charge are no refunds of the order that it was made for.
    const order = await readOrder(get, gatewayOrderId);
    if (order.kind !== 'done') return order;
    const { mandate } = order.value;
    if (mandate === undefined) return listed;
    const charges = await debits.listCharges(mandate, gatewayOrderId);
    if (charges.kind !== 'done') return charges;
    const isCharge = charges.value.some((charge) => charge.gatewayPaymentId === gatewayPaymentId);
    return isCharge ? unknown(CANNOT_SAY) : listed;
  },

  getDisputes: ({ gatewayPaymentId }) =>
    get('get-dispute', wire.paths.disputes(gatewayPaymentId), wire.disputesAnswer),

  /**
   * Cashfree signs nothing for the customer's device, and its checkout hands out no payment's id
   * either: the proof names the order, or one of the order's payments, and the gateway is queried.
   * Its signature is not read.
   */
  async verifyCheckout({ gatewayOrderId, gatewayPaymentId }) {
    return mapDone(
      await readPayments(get, gatewayOrderId),
      (payments) =>
        gatewayPaymentId === gatewayOrderId ||
        payments.some((payment) => payment.gatewayPaymentId === gatewayPaymentId),
    );
  },
});

/**
 * Creates Cashfree's payment gateway (contract: payments-and-webhooks > Cashfree). Its `order_id`
 * is ours to choose: it is the receipt, so a repeated request finds the first order.
 */
export const createCashfreeGateway = (
  config: CashfreeConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const calls = createCashfreeCalls(config, deps);
  const debits = createCashfreeDebits({ calls, clock: deps.clock });
  return {
    code: 'cashfree',
    publicKey: config.CASHFREE_CLIENT_ID,
    credentials: wire.credentialsOf({
      baseUrl: config.CASHFREE_BASE_URL,
      clientId: config.CASHFREE_CLIENT_ID,
      clientSecret: config.CASHFREE_CLIENT_SECRET,
    }),
    ...createCashfreeOrders(config, calls, deps.clock),
    ...createCashfreePayments(calls, debits),
    debitsHaveKey: true,
    debitMandate: debits.debitMandate,
    verifyWebhook: (delivery) => verifyCashfreeWebhook(config.CASHFREE_WEBHOOK_SECRETS, delivery),
    isAvailable: calls.isAvailable,
    close: calls.close,
  };
};
