import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import { createWebhookInbox, type WebhookInbox } from '../webhook-inbox/index.ts';
import {
  chooseDebitGateway,
  chooseGateway,
  listDebitGateways,
  listUsableGateways,
  type GatewayWish,
} from './choose-gateway.ts';
import { createGatewayOrder } from './create-gateway-order.ts';
import { debitMandate } from './debit-mandate.ts';
import { markAsked } from './debits.store.ts';
import { listAttempts } from './gateway-attempts.store.ts';
import { createHeldPayments } from './held-payments.ts';
import { createPaymentEventHandler, APPLY_EVENT_TASK } from './payment-events.ts';
import {
  expirePaymentOrders,
  insertPaymentOrder,
  listPaymentOrders,
  postponeExpiry,
} from './payment-orders.store.ts';
import { createPaymentCustomerRoutes } from './payments.customer.routes.ts';
import { noPaymentMetrics, type PaymentMetrics } from './payments.metrics.ts';
import { presentAttempt, presentPaymentOrder } from './payments.schemas.ts';
import type { PaymentOrder, PaymentOrderRequest, PaymentsDeps } from './payments.types.ts';
import { createPaymentWebhookRoutes } from './payments.webhook.routes.ts';
import { pollGatewaysOfOrder, pollDuePayments } from './poll-gateway.ts';
import { resolveAttempts } from './resolve-attempts.ts';
import { pollReversals } from './poll-reversals.ts';

interface PaymentsOptions extends Omit<PaymentsDeps, 'metrics'> {
  /** From `createPaymentMetrics`; nothing is counted without. */
  readonly metrics?: PaymentMetrics;
}

/**
 * Creates payment orders, the choice of a gateway, the webhooks of gateways and the captures that
 * they report. What a payment does to its gold order is done by the orders module's functions.
 */
export const createPayments = (options: PaymentsOptions) => {
  const deps = { metrics: noPaymentMetrics, ...options };
  const { clock, random } = deps;
  const inbox = createWebhookInbox(deps, createPaymentEventHandler(deps));
  return {
    customerRoutes: [
      ...createPaymentCustomerRoutes(deps),
      ...createPaymentWebhookRoutes({ ...deps, inbox }),
    ],
    jobs: createPaymentJobs(inbox),
    sweeps: createPaymentSweeps(deps, inbox),

    /** @throws AppError NO_USABLE_GATEWAY */
    chooseGateway: (wish?: GatewayWish): Promise<string> => chooseGateway(deps, wish),
    /** Lists the gateways that may be used now, in the order of choice. */
    listUsableGateways: (wish?: GatewayWish): Promise<string[]> => listUsableGateways(deps, wish),
    /** Of a new mandate. @throws AppError NO_USABLE_GATEWAY */
    chooseDebitGateway: (): Promise<string> => chooseDebitGateway(deps),
    /** Lists the gateways that can debit a mandate now. */
    listDebitGateways: (): Promise<string[]> => listDebitGateways(deps),
    /** Writes a payment order in its order's own transaction, and returns its id. */
    async insertPaymentOrder(tx: Db, request: PaymentOrderRequest): Promise<string> {
      const id = random.uuid();
      await insertPaymentOrder(tx, id, request, clock.now());
      return id;
    },
    /** Creates the gateway's order of a committed payment order; see `createGatewayOrder`. */
    createGatewayOrder: (id: string, wish?: GatewayWish): Promise<PaymentOrder> =>
      createGatewayOrder(deps, id, wish),
    presentPaymentOrder: (order: PaymentOrder) => presentPaymentOrder(deps, order),
    /** Presents an order's payment orders to operators, newest first, with every attempt. */
    async presentToOperators(db: Db, orderId: string) {
      const orders = await listPaymentOrders(db, [orderId]);
      const attempts = await listAttempts(
        db,
        orders.map(({ id }) => id),
      );
      return orders.map((order) => ({
        ...presentPaymentOrder(deps, order),
        attempts: attempts.filter((each) => each.paymentOrderId === order.id).map(presentAttempt),
      }));
    },
    /**
     * Before an order is given up as unpaid, outside any transaction: polls its gateways for
     * captures that no webhook reported, and applies them. False when one gave no answer.
     */
    pollGateways: (orderId: string): Promise<boolean> => pollGatewaysOfOrder(deps, orderId),
    /** Expires what is open, in the transaction that gives an unpaid order up, its row locked. */
    expirePaymentOrders: (tx: Db, orderId: string): Promise<number> =>
      expirePaymentOrders(tx, orderId, clock.now()),
    /** Moves the end of an installment that was not asked for yet; its order is locked. */
    postponeExpiry: (tx: Db, id: string, expiresAt: Date): Promise<boolean> =>
      postponeExpiry(tx, id, expiresAt, clock.now()),
    /** Debits a mandate that is due, or finds out what became of it; see `debitMandate`. */
    debitMandate: (id: string, may: { readonly mayRequest: boolean }): Promise<void> =>
      debitMandate(deps, id, may),
    /** Before a sweep takes an installment on, so that the others come first the next time. */
    markAsked: (id: string): Promise<void> => markAsked(deps.db, id, clock.now()),
    held: createHeldPayments(deps),
  };
};

export type Payments = ReturnType<typeof createPayments>;

const payloadSchema = z.object({ eventId: z.uuid() });

/** Creates the module's jobs; all of them may run twice. */
const createPaymentJobs = (inbox: Pick<WebhookInbox<never>, 'retryEvent'>): TaskList => ({
  [APPLY_EVENT_TASK]: async (payload) => inbox.retryEvent(payloadSchema.parse(payload).eventId),
});

/** Creates the sweeps that retry events and find captures and reversals that none reported. */
const createPaymentSweeps = (deps: PaymentsDeps, inbox: WebhookInbox<never>): Sweep[] => [
  { name: 'payments-apply-due-events', run: () => inbox.retryPendingEvents() },
  { name: 'payments-apply-matchable-events', run: () => inbox.retryUnmatchedEvents() },
  { name: 'payments-ask-around-expiry', run: (signal) => pollDuePayments(deps, signal) },
  {
    name: 'payments-resolve-gateway-attempts',
    run: (signal) => resolveAttempts(deps, signal),
  },
  { name: 'payments-poll-reversals', run: (signal) => pollReversals(deps, signal) },
  { name: 'payments-purge-bodies', run: () => inbox.purgeEventBodies() },
];
