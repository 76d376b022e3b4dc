import { jsonNumber } from '../../../platform/http-client/index.ts';
import {
  refused,
  unknown,
  type Outcome,
  done,
  mapDone,
} from '../../../platform/outcome/outcome.ts';
import { formatRupees } from '../../../money/index.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import {
  CANNOT_SAY,
  GATEWAY_NOT_FOUND,
  GATEWAY_REFUSED,
  isRead,
  type GatewayPayment,
  type Listed,
  type VerifiedWebhook,
  type WebhookDelivery,
  type CreateGatewayOrder,
  type GatewayOrder,
  type PaymentGateway,
} from '../port.ts';
import * as orders from './cashfree-orders.wire.ts';
import * as payments from './cashfree-payments.wire.ts';
import type { CashfreeConfig } from './cashfree.config.ts';
import * as wire from './cashfree.wire.ts';
import {
  createCashfreeCalls,
  readOrder,
  resolveRepeat,
  type CashfreeCalls,
} from './create-cashfree-calls.ts';
import { createCashfreeDebits, type CashfreeDebits } from './create-cashfree-debits.ts';
import { readCashfreeEvent } from './read-cashfree-event.ts';

/** Lists the payments of an order's checkout. */
const readPayments = async (
  { get, readRows }: CashfreeCalls,
  id: string,
  now: Date,
): Promise<Outcome<Listed<GatewayPayment>>> =>
  readRows(
    'list-payments',
    await get('list-payments', wire.paths.payments(id), wire.listAnswer),
    payments.paymentRows(id, now),
  );

/**
 * Checks a webhook's signature. It is the base64 HMAC-SHA256 of the timestamp and the raw body, under
 * one of the current client secrets. A body that was parsed and printed has another signature, since
 * 170.00 becomes 170.
 *
 * The age of the timestamp is not checked. Cashfree retries for hours and resends on request, so a
 * refused old delivery could lose a capture. A replay is harmless, because an event is accepted once by
 * its id and by its body, and has its effect once for each payment.
 */
const verifyCashfreeWebhook = (
  secrets: readonly string[],
  { rawBody, headers }: WebhookDelivery,
  now: Date,
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
    event: readCashfreeEvent(rawBody, now),
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
      customer_id: orders.customerId(customer.id),
      customer_phone: orders.customerPhone(customer.phone),
      customer_email: customer.email,
      customer_name: customer.name,
    },
    order_expiry_time:
      expiresAt && orders.orderExpiry(expiresAt, now, shortestSeconds * 1000).toISOString(),
    order_tags: mandateToken === undefined ? undefined : { [orders.mandateTag]: mandateToken },
  };
};

type Orders = Pick<PaymentGateway, 'createOrder' | 'findOrderByReceipt' | 'getOrder'>;

const hasSession = (order: GatewayOrder): boolean =>
  order.checkoutSession !== undefined || order.status !== 'OPEN';

/**
 * Returns an order for which a checkout can be opened. Without a session the customer cannot pay
 * the order. If a second read has no session either, the order is refused at once, so that another
 * gateway can be chosen. A mandate is charged without a checkout.
 */
const requireSession = async (
  created: Outcome<GatewayOrder>,
  { mandateToken }: CreateGatewayOrder,
  readAgain: () => Promise<Outcome<GatewayOrder>>,
): Promise<Outcome<GatewayOrder>> => {
  if (created.kind !== 'done' || mandateToken !== undefined || hasSession(created.value)) {
    return created;
  }
  const read = await readAgain();
  if (read.kind !== 'done' || hasSession(read.value)) return read;
  return refused(GATEWAY_REFUSED, 'the order has no payment_session_id: nobody can pay it');
};

/** Creates the calls that create and read orders. */
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
      const posted = await calls.post(
        {
          operation: 'create-order',
          path: wire.paths.orders,
          json: orderBody(config, clock.now(), request),
          idempotencyKey: receipt,
        },
        orders.orderAnswer,
      );
      const order = await resolveRepeat(posted, () => readOrder(calls.get, receipt));
      return requireSession(
        mapDone(order, (answer) => answer.order),
        request,
        () => getOrder(receipt),
      );
    },

    async findOrderByReceipt(receipt) {
      const found = await getOrder(receipt);
      return found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND ? done(undefined) : found;
    },
  };
};

/** The reason of an unknown outcome if the order's id is unknown, since Cashfree's query needs it. */
const NO_ORDER_ID = 'NO_ORDER_ID';

type Payments = Pick<
  PaymentGateway,
  'listPayments' | 'getRefunds' | 'getDisputes' | 'verifyCheckout'
>;

/**
 * Creates the calls that read the payments of an order, with charges under its mandate, and their
 * refunds and disputes.
 */
const createCashfreePayments = (
  calls: CashfreeCalls,
  debits: Pick<CashfreeDebits, 'listCharges'>,
  clock: Clock,
): Payments => ({
  async listPayments(gatewayOrderId): Promise<Outcome<Listed<GatewayPayment>>> {
    const [order, payments] = await Promise.all([
      readOrder(calls.get, gatewayOrderId),
      readPayments(calls, gatewayOrderId, clock.now()),
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
    const listed = calls.readRows(
      'get-refund',
      await calls.get('get-refund', path, wire.listAnswer),
      payments.refundRows(gatewayPaymentId, clock.now()),
    );
    if (listed.kind !== 'done' || listed.value.length > 0) return listed;
    // The order's list of refunds does not have the refunds of a charge.
    const order = await readOrder(calls.get, gatewayOrderId);
    if (order.kind !== 'done') return order;
    const { mandate } = order.value;
    if (mandate === undefined) return listed;
    const charges = await debits.listCharges(mandate, gatewayOrderId);
    if (charges.kind !== 'done') return charges;
    const isCharge = charges.value.some(
      (charge) => !isRead(charge) || charge.gatewayPaymentId === gatewayPaymentId,
    );
    return isCharge ? unknown(CANNOT_SAY) : listed;
  },

  async getDisputes({ gatewayPaymentId }) {
    const path = wire.paths.disputes(gatewayPaymentId);
    return calls.readRows(
      'get-dispute',
      await calls.get('get-dispute', path, wire.listAnswer),
      payments.disputeRows(gatewayPaymentId, clock.now()),
    );
  },

  /**
   * Queries the gateway for the payments of the order. Cashfree signs no proof for the customer's
   * device, and its checkout returns no payment id. The proof therefore names the order's id instead,
   * or a payment of the order, and its signature is ignored.
   */
  async verifyCheckout({ gatewayOrderId, gatewayPaymentId }) {
    return mapDone(
      await readPayments(calls, gatewayOrderId, clock.now()),
      (payments) =>
        gatewayPaymentId === gatewayOrderId ||
        payments.filter(isRead).some((payment) => payment.gatewayPaymentId === gatewayPaymentId),
    );
  },
});

/**
 * Creates Cashfree's payment gateway (contract: payments-and-webhooks > Cashfree). The service chooses
 * the `order_id`. It is the receipt, so a repeated request finds the first order.
 */
export const createCashfreeGateway = (
  config: CashfreeConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const calls = createCashfreeCalls(config, deps);
  const debits = createCashfreeDebits({ calls, clock: deps.clock });
  return {
    code: 'cashfree',
    checksProofsByQuery: true,
    publicKey: config.CASHFREE_CLIENT_ID,
    credentials: wire.credentialsOf({
      baseUrl: config.CASHFREE_BASE_URL,
      clientId: config.CASHFREE_CLIENT_ID,
      clientSecret: config.CASHFREE_CLIENT_SECRET,
    }),
    ...createCashfreeOrders(config, calls, deps.clock),
    ...createCashfreePayments(calls, debits, deps.clock),
    debitsHaveKey: true,
    debitMandate: debits.debitMandate,
    verifyWebhook: (delivery) =>
      verifyCashfreeWebhook(config.CASHFREE_WEBHOOK_SECRETS, delivery, deps.clock.now()),
    isAvailable: calls.isAvailable,
    close: calls.close,
  };
};
