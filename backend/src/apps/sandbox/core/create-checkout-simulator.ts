import type { Clock } from '../../../platform/clock/clock.ts';
import type { Timers } from '../../../platform/clock/timers.ts';
import type { Random } from '../../../platform/ids/random.ts';
import type { BackgroundWork } from './background-work.ts';
import type { Collaborator } from './collaborator.ts';
import type {
  Checkout,
  CheckoutSimulator,
  PaymentPlay,
  PlayedPayment,
  PlayedReversal,
  ReversalPlay,
} from './checkout-simulator.ts';
import type {
  GatewayDebit,
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
  GatewayStore,
} from './gateway-store.ts';
import type { WebhookOutbox } from './webhook-outbox.ts';

/**
 * An event in a gateway's own form. It is signed once, so a repeat has the same bytes and headers.
 */
export interface GatewayEvent {
  /** The gateway's name of the event, as the sandbox's page shows it. */
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A payment that was reversed in part or in full, and its order. */
interface Reversed {
  readonly payment: GatewayPayment;
  readonly order: GatewayOrder;
}

/**
 * Writes and signs the events of one gateway. Everything else about a checkout is the same at all
 * gateways.
 */
export interface GatewayProtocol {
  /** The gateway's name in faults, journal and overview. */
  readonly name: string;
  /** The service's path for this gateway's webhooks. */
  readonly webhookPath: string;
  /** Returns the events of a payment, in the order in which the gateway sends them. */
  paymentEvents(payment: GatewayPayment, order: GatewayOrder): readonly GatewayEvent[];
  refundEvent(refund: GatewayRefund, reversed: Reversed): GatewayEvent;
  disputeEvent(dispute: GatewayDispute, reversed: Reversed): GatewayEvent;
  /**
   * Returns the signature that the checkout gives the customer's device as proof of the payment. It
   * may be empty.
   */
  checkoutSignature(payment: GatewayPayment): string;
  /** Returns the reason why an order can no longer be paid, or undefined while it can. */
  refuseAttempt?(order: GatewayOrder): string | undefined;
  /** Returns the id of the payment that a debit results in. Without it the store makes one. */
  paymentIdOf?(debit: GatewayDebit): string;
}

interface CheckoutDeps {
  readonly protocol: GatewayProtocol;
  readonly store: GatewayStore;
  readonly timers: Timers;
  readonly backgroundWork: BackgroundWork;
  readonly outbox: WebhookOutbox;
  readonly changed: () => void;
  /** The real time after which a debit under a mandate ends. */
  readonly settleMs: number;
}

/**
 * The dependencies that every gateway of the sandbox has in addition to its own keys and secrets.
 */
export interface GatewayDeps extends Omit<CheckoutDeps, 'protocol' | 'store'> {
  readonly clock: Clock;
  readonly random: Random;
}

/** Simulates a gateway's checkouts, and ends its debits under mandates. */
export interface GatewaySimulator extends CheckoutSimulator {
  /** Ends a debit after `settleMs`, unless its mandate token contains "stuck". */
  endDebitLater(debit: GatewayDebit): void;
  /** Resumes the debits that an earlier process left pending. */
  resume(): void;
}

/** A payment gateway of the sandbox, and the simulator of its payments. */
export interface SimulatedGateway {
  readonly collaborator: Collaborator;
  readonly simulator: GatewaySimulator;
}

const defaultDelayMs = 3000;

/**
 * Returns the remaining amount of a captured payment, the amount to reverse, which by default is
 * all of it, and whether enough remains.
 */
const planReversal = (
  payment: GatewayPayment,
  reversals: readonly { readonly amount_paise: number }[],
  requestedPaise: number | undefined,
) => {
  const reversedPaise = reversals.reduce((sum, { amount_paise: amount }) => sum + amount, 0);
  const leftPaise = payment.status === 'captured' ? payment.amount_paise - reversedPaise : 0;
  const amount = requestedPaise ?? leftPaise;
  return { leftPaise, amount, isEnough: amount >= 1 && amount <= leftPaise };
};

const send = (
  { outbox, protocol }: CheckoutDeps,
  event: GatewayEvent,
  subject: string,
): Promise<void> =>
  outbox.deliver({ ...event, from: protocol.name, subject, path: protocol.webhookPath });

/** Sends the events of a payment in the way that the play chooses. */
const sendEvents = async (
  deps: CheckoutDeps,
  payment: GatewayPayment,
  order: GatewayOrder,
  play: PaymentPlay,
): Promise<void> => {
  const mode = play.deliver ?? 'webhook';
  if (mode === 'none') return;
  const events = deps.protocol.paymentEvents(payment, order);
  if (mode === 'reordered') {
    for (const event of events.toReversed()) await send(deps, event, order.id);
    return;
  }
  if (mode === 'delayed') {
    const signal = deps.backgroundWork.signal();
    await deps.timers.sleep(play.delayMs ?? defaultDelayMs, signal);
    if (signal.aborted) return;
  }
  const copies = mode === 'duplicate' ? [...events, ...events] : events;
  await Promise.all(copies.map((event) => send(deps, event, order.id)));
};

/** Adds a payment of the order, made at a checkout or by a debit. */
const pay = (
  deps: CheckoutDeps,
  order: GatewayOrder,
  play: PaymentPlay,
  debit?: GatewayDebit,
): GatewayPayment => {
  const id = debit === undefined ? undefined : deps.protocol.paymentIdOf?.(debit);
  const payment = deps.store.addPayment({
    order_id: order.id,
    amount_paise: play.amountPaise ?? order.amount_paise,
    currency: play.currency ?? order.currency,
    method: play.method ?? 'upi',
    status: play.outcome,
    ...(id !== undefined && { id }),
    ...(debit?.extra !== undefined && { extra: debit.extra }),
  });
  deps.changed();
  void sendEvents(deps, payment, order, play);
  return payment;
};

const summarise = ({ protocol }: CheckoutDeps, payment: GatewayPayment): PlayedPayment => ({
  gateway_payment_id: payment.id,
  gateway_order_id: payment.order_id,
  status: payment.status,
  amount_paise: payment.amount_paise,
  currency: payment.currency,
  method: payment.method,
  signature: protocol.checkoutSignature(payment),
});

/** Pays an order at its checkout, unless the gateway refuses the attempt. */
const playPayment = (deps: CheckoutDeps, gatewayOrderId: string, play: PaymentPlay) => {
  const order = deps.store.order(gatewayOrderId);
  if (order === undefined) return undefined;
  const refused = deps.protocol.refuseAttempt?.(order);
  return refused === undefined ? summarise(deps, pay(deps, order, play)) : { refused };
};

/** A kind of reversal, which is a refund or a lost dispute. */
interface ReversalKind {
  /** Returns the payment's earlier reversals of this kind. */
  listReversals(payment: GatewayPayment): readonly { readonly amount_paise: number }[];
  /** Adds a reversal of this amount. Returns its id and webhook event. */
  addReversal(
    reversed: Reversed,
    amount: number,
  ): { readonly id: string; readonly event: GatewayEvent };
}

const refunds = ({ store, protocol }: CheckoutDeps): ReversalKind => ({
  listReversals: ({ id }) => store.refundsOf(id),
  addReversal(reversed, amount) {
    const refund = store.addRefund({
      payment_id: reversed.payment.id,
      amount_paise: amount,
      status: 'processed',
    });
    return { id: refund.id, event: protocol.refundEvent(refund, reversed) };
  },
});

const lostDisputes = ({ store, protocol }: CheckoutDeps): ReversalKind => ({
  listReversals: ({ id }) => store.disputesOf(id),
  addReversal(reversed, amount) {
    const dispute = store.addDispute({
      payment_id: reversed.payment.id,
      amount_paise: amount,
      status: 'lost',
    });
    return { id: dispute.id, event: protocol.disputeEvent(dispute, reversed) };
  },
});

/** Reverses a payment in part or in full and sends the event. Refuses if too little remains. */
const reverse = (
  deps: CheckoutDeps,
  kind: ReversalKind,
  gatewayPaymentId: string,
  { amountPaise, deliver = 'webhook' }: ReversalPlay,
): PlayedReversal | undefined => {
  const payment = deps.store.payment(gatewayPaymentId);
  const order = deps.store.order(payment?.order_id);
  if (payment === undefined || order === undefined) return undefined;
  const plan = planReversal(payment, kind.listReversals(payment), amountPaise);
  if (!plan.isEnough) return { leftPaise: plan.leftPaise };
  const { id: reference, event } = kind.addReversal({ payment, order }, plan.amount);
  deps.changed();
  if (deliver !== 'none') void send(deps, event, order.id);
  if (deliver === 'duplicate') void send(deps, event, order.id);
  return { reference, amountPaise: plan.amount };
};

const endDebit = async (deps: CheckoutDeps, debitId: string): Promise<void> => {
  const { store, timers, backgroundWork, settleMs } = deps;
  const signal = backgroundWork.signal();
  await timers.sleep(settleMs, signal);
  const debit = store.debit(debitId);
  if (signal.aborted || debit?.status !== 'pending') return;
  const order = store.order(debit.order_id);
  if (order === undefined) return;
  const outcome = debit.mandate_token.includes('fail') ? 'failed' : 'captured';
  store.replaceDebit({ ...debit, status: outcome });
  const play = { outcome, amountPaise: debit.amount_paise, currency: debit.currency } as const;
  pay(deps, order, play, debit);
};

const endDebitLater = (deps: CheckoutDeps, debit: GatewayDebit): void => {
  if (!debit.mandate_token.includes('stuck')) void endDebit(deps, debit.id);
};

const checkoutOf = ({ protocol, store }: CheckoutDeps, order: GatewayOrder): Checkout => ({
  gateway: protocol.name,
  gatewayOrderId: order.id,
  receipt: order.receipt,
  amountPaise: order.amount_paise,
  currency: order.currency,
  createdAt: order.created_at,
  expiresAt: order.expires_at,
  isPaid: store.isPaid(order.id),
  payments: store.paymentsOf(order.id).map(({ id, status }) => ({ id, status })),
});

/** Plays payments, refunds, lost disputes and debits, and sends their webhooks. */
export const createCheckoutSimulator = (deps: CheckoutDeps): GatewaySimulator => ({
  play: (gatewayOrderId, play) => playPayment(deps, gatewayOrderId, play),
  refund: (gatewayPaymentId, play) => reverse(deps, refunds(deps), gatewayPaymentId, play),
  loseDispute: (gatewayPaymentId, play) =>
    reverse(deps, lostDisputes(deps), gatewayPaymentId, play),
  checkouts: (count) => deps.store.newestOrders(count).map((order) => checkoutOf(deps, order)),
  payments: (count) => deps.store.newestPayments(count).map((payment) => summarise(deps, payment)),
  endDebitLater: (debit) => endDebitLater(deps, debit),
  resume() {
    for (const debit of deps.store.pendingDebits()) endDebitLater(deps, debit);
  },
});
