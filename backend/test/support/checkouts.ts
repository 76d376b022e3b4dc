import { createHmac } from 'node:crypto';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { buyStatuses, transitionBuy, type BuyStatus } from '../../src/modules/orders/index.ts';
import type { PaymentsDeps } from '../../src/modules/payments/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import type { OpenGold } from './open-gold.ts';
import { newIdempotencyKey } from './sellers.ts';

/** A buy of 1000 rupees that waits for its payment. */
interface CommittedOrder {
  readonly orderId: string;
  readonly userId: string;
  readonly paymentOrderId: string;
  readonly lockEndsAt: Date;
}

/** A payment that the gateway knows. */
export interface Checkout extends CommittedOrder {
  readonly gatewayOrderId: string;
}

/** The process that takes buys, and whether it dies before it asks a gateway. */
interface MortalPayments {
  dies: boolean;
  readonly wrapPayments: (real: PaymentsDeps) => PaymentsDeps;
}

export const createMortalPayments = (): MortalPayments => {
  const state = {
    dies: false,
    // Payments reads the real time only once, as the last step before it calls a gateway.
    wrapPayments: (real: PaymentsDeps): PaymentsDeps => ({
      ...real,
      wall: {
        now() {
          if (state.dies) throw new Error('the process died');
          return real.wall.now();
        },
      },
    }),
  };
  return state;
};

const committedOf = async ({ database }: OpenGold, userId: string): Promise<CommittedOrder> => {
  const { id, orderId } = await database.db.paymentOrder.findFirstOrThrow({ where: { userId } });
  const { lockEndsAt } = await database.db.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
  if (lockEndsAt === null) throw new Error(`order ${orderId} has no price lock`);
  return { orderId, userId, paymentOrderId: id, lockEndsAt };
};

/** Buys by UPI, up to where the process dies: the gateway knows nothing of it. */
export const commitOrder = async (
  open: OpenGold,
  process: MortalPayments,
): Promise<CommittedOrder> => {
  const { id: userId, call } = await open.newCustomer();
  const quote = await call('POST', '/gold/quote', { unit: 'INR', amount: '1000' });
  process.dies = true;
  const { status } = await call('POST', '/payments/orders', {
    quote_id: quote.body.id,
    method: 'upi',
    terms_accepted: true,
    idempotency_key: newIdempotencyKey(),
  });
  process.dies = false;
  if (status !== 500) throw new Error(`the process lived and answered ${status}`);
  return committedOf(open, userId);
};

/** Buys, up to the open checkout of the gateway. */
export const openCheckout = async (open: OpenGold): Promise<Checkout> => {
  const { id: userId, call } = await open.newCustomer();
  const body = { unit: 'INR', amount: '1000', idempotency_key: newIdempotencyKey() };
  const placed = await call('POST', '/gold/buy', body);
  const gatewayOrderId = String(placed.body.payment?.gateway_order_id);
  return { ...(await committedOf(open, userId)), gatewayOrderId };
};

/** The customer pays, and the gateway's webhook is lost. Returns what the checkout then has. */
export const payUnheard = async (
  { sandbox }: OpenGold,
  { gatewayOrderId }: Pick<Checkout, 'gatewayOrderId'>,
  play: object = {},
) => {
  const { body } = await sandbox.control('POST', `/payments/${gatewayOrderId}`, {
    outcome: 'captured',
    deliver: 'none',
    ...play,
  });
  return {
    gateway_order_id: gatewayOrderId,
    gateway_payment_id: String(body['gateway_payment_id']),
    signature: String(body['signature']),
  };
};

/** The same, of whose answer a test uses the gateway's id alone. */
export const captureUnheard = async (
  open: OpenGold,
  checkout: Pick<Checkout, 'gatewayOrderId'>,
  play: object = {},
): Promise<string> => (await payUnheard(open, checkout, play)).gateway_payment_id;

interface OrderState {
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
  /** Every transition since it was placed, such as `PENDING>PAID`. */
  readonly transitions: readonly string[];
  /** Allocations that are queued. */
  readonly allocations: number;
}

/** Reads what became of an order. */
export const stateOf = async (
  { database: { db } }: OpenGold,
  orderId: string,
): Promise<OrderState> => {
  const [row] = await db.$queryRaw<Omit<OrderState, 'transitions'>[]>`
    SELECT status, manual_review_code AS code, manual_review_reason AS reason,
      (SELECT count(*)::int FROM graphile_worker._private_jobs j
        WHERE j.payload ->> 'orderId' = o.id::text) AS allocations
    FROM gold_order o WHERE id = ${orderId}::uuid`;
  if (row === undefined) throw new Error(`there is no order ${orderId}`);
  const transitions = await db.$queryRaw<{ transition: string }[]>`
    SELECT from_status || '>' || to_status AS transition FROM gold_order_event
    WHERE order_id = ${orderId}::uuid AND from_status IS NOT NULL ORDER BY seq`;
  return { ...row, transitions: transitions.map(({ transition }) => transition) };
};

/** Changes an order's state as the worker would. */
export const transitionOrder = (open: OpenGold, orderId: string, to: BuyStatus): Promise<void> =>
  open.database.inTransaction(async (tx) => {
    const deps = { clock: open.clock, random: createRandom(), logger: open.logger };
    const order = await tx.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
    const status = buyStatuses.find((known) => known === order.status);
    if (status === undefined) throw new Error(`order ${orderId} is no buy`);
    await transitionBuy(
      deps,
      tx,
      { id: orderId, status },
      { to, cause: 'test', actor: 'worker', changes: {} },
    );
  });

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

/** Delivers a webhook to the API. Returns the status and the parsed answer. */
export const deliver = async (
  { url }: Pick<OpenGold, 'url'>,
  delivered: { body: string; signature?: string; eventId?: string; path?: string },
) => {
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

export const paymentOrderRow = ({ database }: OpenGold, id: string) =>
  database.db.paymentOrder.findUniqueOrThrow({ where: { id } });

export const inboxOf = ({ database }: OpenGold, subject: string) =>
  database.db.webhookEvent.findMany({ where: { subject } });

/** Lets the next calls of the gateway go wrong, whatever their operation. */
export const breakGateway = ({ sandbox }: OpenGold, fault = 'error', times = 20) =>
  sandbox.control('POST', '/faults', {
    collaborator: 'sandbox-gateway',
    operation: '*',
    fault,
    times,
  });

export const countGatewayCalls = async (
  { sandbox }: OpenGold,
  operation: string,
): Promise<number> => {
  const path = `/journal?collaborator=sandbox-gateway&operation=${operation}`;
  const { body } = await sandbox.control('GET', path);
  return (body['entries'] as unknown[]).length;
};
