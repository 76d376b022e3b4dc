import { createHmac } from 'node:crypto';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { createCaller, type OpenSandbox } from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { paise } from '../../src/money/index.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { createOrders } from '../../src/modules/orders/index.ts';
import {
  createPaymentMetrics,
  createPayments,
  type Payments,
} from '../../src/modules/payments/index.ts';
import type { ManualClock } from '../../src/platform/clock/manual-clock.ts';
import type { Vault } from '../../src/platform/crypto/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { AppError } from '../../src/platform/errors/app-error.ts';
import type { Guard } from '../../src/platform/http/index.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { createPayableOrders, type PayableOrders } from './payable-orders.ts';

type Call = ReturnType<typeof createCaller>;

/** The payments module behind its routes, with the real adapter, the sandbox and real orders. */
export interface OpenPayments {
  /** Address with the API's prefix. */
  readonly url: string;
  readonly database: Database;
  readonly sandbox: OpenSandbox;
  readonly clock: ManualClock;
  readonly vault: Vault;
  readonly payments: Payments;
  readonly orders: PayableOrders;
  /** The module's counters, in the text form of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** A caller: nobody, or the customer with this id. */
  as(userId?: string): Call;
  close(): Promise<void>;
}

/** Takes the token for the customer's id: signing in is another module's. */
const guard: Guard = {
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'id' },
  schemeName: 'bearer',
  async admit(req) {
    const userId = /^Bearer (.+)$/u.exec(req.get('authorization') ?? '')?.[1];
    if (userId === undefined) throw new AppError('UNAUTHENTICATED');
    return { userId };
  },
};

interface OpenPaymentsOptions {
  /** Stands before the real adapters: a gateway that gives no answer. */
  readonly wrapGateways?: (real: TestSystem['gateways']) => TestSystem['gateways'];
}

/** Opens it; webhooks of the sandbox find their way. */
export const openPayments = async ({
  wrapGateways = (real) => real,
}: OpenPaymentsOptions = {}): Promise<OpenPayments> => {
  const system = await openTestSystem();
  const { database, sandbox, clock, vault, addresses } = system;
  const orders = createOrders({ ...system, notify: createNotify(system) });
  const payable = await createPayableOrders({
    ...system,
    orders,
    migrateUrl: addresses.migrateUrl,
  });
  const payments = createPayments({
    ...system,
    gateways: wrapGateways(system.gateways),
    liveOnly: false,
    metrics: createPaymentMetrics(system.metrics.registry),
    orders,
    portfolios: { drop: async () => {} },
    findCustomer: async (_db, id) => ({ id, phone: '+919812345678' }),
  });
  const url = await system.serve({ prefix: '/v1', routes: payments.customerRoutes, guard });
  sandbox.sandbox.setCustomerBaseUrl(url.slice(0, -'/v1'.length));

  return {
    url,
    database,
    sandbox,
    clock,
    vault,
    payments,
    orders: payable,
    metrics: () => system.metrics.registry.metrics(),
    as: (userId) =>
      createCaller(url, userId === undefined ? {} : { authorization: `Bearer ${userId}` }),
    async close() {
      await payable.close();
      await system.close();
    },
  };
};

/** An order with its payment order, open at the gateway. */
export const openCheckout = async (
  { payments, orders, database }: OpenPayments,
  given: Parameters<PayableOrders['place']>[0] = {},
) => {
  const order = await orders.place(given);
  const paymentOrderId = await database.inTransaction((tx) =>
    payments.insertPaymentOrder(tx, {
      userId: order.userId,
      orderId: order.orderId,
      gateway: 'sandbox',
      amountPaise: paise(order.amountPaise),
      expiresAt: order.lockEndsAt,
    }),
  );
  const paymentOrder = await payments.createGatewayOrder(paymentOrderId);
  return { ...order, paymentOrderId, gatewayOrderId: paymentOrder.gatewayOrderId ?? '' };
};

/** A webhook of the neutral gateway about one payment, signed as the gateway signs. */
export const signedEvent = (
  event: string,
  gatewayOrderId: string,
  gatewayPaymentId: string,
  changes: { amountPaise?: number; currency?: string } = {},
) => {
  const body = JSON.stringify({
    event,
    created_at: '2026-01-05T04:00:00.000Z',
    data: {
      gateway_order_id: gatewayOrderId,
      gateway_payment_id: gatewayPaymentId,
      amount_paise: changes.amountPaise ?? 100_000,
      currency: changes.currency ?? 'INR',
      method: 'upi',
      status: event === 'payment.failed' ? 'failed' : 'captured',
    },
  });
  return { body, signature: signatureOf(body) };
};

/** The signature of the sandbox's gateway over a webhook's bytes. */
export const signatureOf = (body: string): string =>
  createHmac('sha256', sandboxDefaults.gatewayWebhookSecrets[0] ?? '')
    .update(body)
    .digest('hex');

interface Delivered {
  readonly body: string;
  readonly signature?: string;
  readonly eventId?: string;
  readonly path?: string;
}

/** Delivers a webhook; answers the status and the parsed answer. */
export const deliver = ({ url }: OpenPayments, delivered: Delivered) => deliverAt(url, delivered);

/** Delivers a webhook to the API at an address. */
export const deliverAt = async (url: string, delivered: Delivered) => {
  const { body, signature, eventId, path = '/webhooks/payment/sandbox' } = delivered;
  const response = await fetch(url + path, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      ...(signature !== undefined && { 'x-gateway-signature': signature }),
      ...(eventId !== undefined && { 'x-gateway-event-id': eventId }),
    },
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
};
