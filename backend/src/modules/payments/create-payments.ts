import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { createWebhookInbox, type WebhookInbox } from '../webhook-inbox/index.ts';
import { createApplyPayment } from './apply-payment.ts';
import { createAskGateway, type AskGateway } from './ask-gateway.ts';
import { createGatewayChoice, type GatewayWish } from './choose-gateway.ts';
import { createInsertPaymentOrder } from './insert-payment-order.ts';
import { createOpenGatewayOrder, type OpenGatewayOrderDeps } from './open-gateway-order.ts';
import { createPaymentInboxHandler } from './payment-inbox-handler.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import { paymentCustomerRoutes } from './payments.customer.routes.ts';
import { createPaymentJobs } from './payments.jobs.ts';
import { noPaymentMetrics, type PaymentMetrics } from './payments.metrics.ts';
import { paymentWebhookRoutes } from './payments.webhook.routes.ts';
import { createPaymentOrderPresenter } from './present-payment-order.ts';
import { createReceiveWebhook } from './receive-webhook.ts';
import { createReviewPayments } from './review-payments.ts';
import { createVerifyPayment } from './verify-payment.ts';

export interface PaymentsDeps extends OpenGatewayOrderDeps {
  readonly random: Random;
  readonly vault: Vault;
  /** From `createPaymentMetrics`; nothing is counted without. */
  readonly metrics?: PaymentMetrics;
}

const sweepsOf = (inbox: WebhookInbox<never>, askGateway: AskGateway): Sweep[] => [
  { name: 'payments-apply-due-events', run: () => inbox.retryPendingEvents() },
  { name: 'payments-apply-matchable-events', run: () => inbox.retryUnmatchedEvents() },
  { name: 'payments-ask-around-expiry', run: () => askGateway.askAroundExpiry() },
  { name: 'payments-purge-bodies', run: () => inbox.purgeEventBodies() },
];

/**
 * Payment orders, gateway choice, the webhook inbox, captures and what they mean. `settlement` is
 * the gold module's; nothing here moves a gold order but through it.
 */
export const createPayments = (deps: PaymentsDeps) => {
  const { db, clock, random, gateways, metrics = noPaymentMetrics } = deps;
  const parts = { ...deps, metrics, applyPayment: createApplyPayment(deps) };
  const choice = createGatewayChoice(deps);
  const presentPaymentOrder = createPaymentOrderPresenter(deps);
  const askGateway = createAskGateway(parts);
  const inbox = createWebhookInbox(deps, createPaymentInboxHandler(parts));
  const customerRoutes: Route[] = [
    ...paymentCustomerRoutes({
      db,
      verifyPayment: createVerifyPayment({ db, gateways, askGateway }),
      present: presentPaymentOrder,
    }),
    ...paymentWebhookRoutes({
      gateways,
      defaultGateway: () => choice.defaultGateway(),
      receiveWebhook: createReceiveWebhook({ clock, inbox, metrics }),
    }),
  ];

  return {
    customerRoutes,
    jobs: createPaymentJobs(inbox) satisfies TaskList,
    sweeps: sweepsOf(inbox, askGateway),
    /** @throws AppError NO_USABLE_GATEWAY */
    chooseGateway: (wish?: GatewayWish) => choice.chooseGateway(wish),
    insertPaymentOrder: createInsertPaymentOrder({ clock, random }),
    openGatewayOrder: createOpenGatewayOrder(deps),
    presentPaymentOrder,
    /** Newest first, of any number of gold orders. */
    listPaymentOrders: (client: Db, orderIds: readonly string[]) =>
      createPaymentOrderStore(client).listOfOrders(orderIds),
    findPaymentOrder: (client: Db, id: string) => createPaymentOrderStore(client).find(id),
    /**
     * Before an order is given up as unpaid, outside any transaction: asks the gateway for
     * captures that no webhook told us of, and applies them. False when it gave no answer.
     */
    askForCaptures: (orderId: string): Promise<boolean> => askGateway.askForOrder(orderId),
    /** In the transaction that gives an unpaid order up, its row locked: -> EXPIRED; how many. */
    expirePaymentOrders: (client: Db, orderId: string): Promise<number> =>
      createPaymentOrderStore(client).expireOpen(orderId, clock.now()),
    /** For operators who end a manual review. */
    review: createReviewPayments({ clock, gateways }),
  };
};

export type Payments = ReturnType<typeof createPayments>;
