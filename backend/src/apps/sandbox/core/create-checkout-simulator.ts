import type { Clock } from '../../../platform/clock/clock.ts';
import type { Timers } from '../../../platform/clock/timers.ts';
import type { Random } from '../../../platform/ids/random.ts';
import type { BackgroundWork } from './background-work.ts';
import type { Collaborator } from './collaborator.ts';
import type {
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

/** One event in a gateway's own form, signed once: a repeat has the same bytes and headers. */
export interface GatewayEvent {
  /** The gateway's name of it, shown to people. */
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Money that went away again, with the payment and the order that it was of. */
interface Reversed {
  readonly payment: GatewayPayment;
  readonly order: GatewayOrder;
}

/** Writes what one gateway sends and signs; all else about a checkout is the same at each. */
export interface GatewayProtocol {
  /** The gateway's name in faults, journal and overview. */
  readonly name: string;
  /** The service's path for this gateway's webhooks. */
  readonly webhookPath: string;
  /** Returns the events of a payment, in the order in which the gateway sends them. */
  paymentEvents(payment: GatewayPayment, order: GatewayOrder): readonly GatewayEvent[];
  refundEvent(refund: GatewayRefund, of: Reversed): GatewayEvent;
  disputeEvent(dispute: GatewayDispute, of: Reversed): GatewayEvent;
  /** Returns what the checkout gives the customer's device to prove the payment; may be empty. */
  checkoutSignature(payment: GatewayPayment): string;
  /** Returns why an order takes no attempt to pay it any more; undefined while it does. */
  refuseAttempt?(order: GatewayOrder): string | undefined;
  /** Returns the id of the payment that a debit ends as; without it the store makes one. */
  paymentIdOf?(debit: GatewayDebit): string;
}

interface CheckoutSimulatorOptions {
  readonly protocol: GatewayProtocol;
  readonly store: GatewayStore;
  readonly timers: Timers;
  readonly backgroundWork: BackgroundWork;
  readonly outbox: WebhookOutbox;
  readonly changed: () => void;
  /** Real time after which a debit under a mandate ends. */
  readonly settleMs: number;
}

/**
 * The parts that every gateway of the sandbox receives; its own keys and secrets come beside them.
 */
export interface GatewaySurroundings extends Omit<CheckoutSimulatorOptions, 'protocol' | 'store'> {
  readonly clock: Clock;
  readonly random: Random;
}

/** Simulates a gateway's checkouts, and ends its debits under mandates. */
export interface GatewaySimulator extends CheckoutSimulator {
  /** Ends a debit after the settling time, unless its mandate is a stuck one. */
  settleLater(debit: GatewayDebit): void;
  /** Resumes the debits that an earlier process left pending. */
  resume(): void;
}

/** One payment gateway of the sandbox, and the simulator that plays its payments. */
export interface SimulatedGateway {
  readonly collaborator: Collaborator;
  readonly simulator: GatewaySimulator;
}

const defaultDelayMs = 3000;

/** Returns how much of a captured payment is left, and how much of that is to go. */
const takeFrom = (
  payment: GatewayPayment,
  taken: readonly { readonly amount_paise: number }[],
  asked: number | undefined,
) => {
  const gone = taken.reduce((sum, { amount_paise: amount }) => sum + amount, 0);
  const leftPaise = payment.status === 'captured' ? payment.amount_paise - gone : 0;
  const amount = asked ?? leftPaise;
  return { leftPaise, amount, isLeft: amount >= 1 && amount <= leftPaise };
};

/** Takes payments at a gateway's checkout, takes them away again, and sends the webhooks. */
export const createCheckoutSimulator = (options: CheckoutSimulatorOptions): GatewaySimulator => {
  const { protocol, store, timers, backgroundWork, outbox, changed, settleMs } = options;

  const send = (event: GatewayEvent, subject: string): Promise<void> =>
    outbox.deliver({ ...event, subject, path: protocol.webhookPath });

  const sendEvents = async (
    payment: GatewayPayment,
    order: GatewayOrder,
    play: PaymentPlay,
  ): Promise<void> => {
    const mode = play.deliver ?? 'webhook';
    if (mode === 'none') return;
    const events = protocol.paymentEvents(payment, order);
    if (mode === 'reordered') {
      for (const event of events.toReversed()) await send(event, order.id);
      return;
    }
    if (mode === 'delayed') {
      const signal = backgroundWork.signal();
      await timers.sleep(play.delayMs ?? defaultDelayMs, signal);
      if (signal.aborted) return;
    }
    const copies = mode === 'duplicate' ? [...events, ...events] : events;
    await Promise.all(copies.map((event) => send(event, order.id)));
  };

  const pay = (order: GatewayOrder, play: PaymentPlay, debit?: GatewayDebit): GatewayPayment => {
    const id = debit === undefined ? undefined : protocol.paymentIdOf?.(debit);
    const payment = store.addPayment({
      order_id: order.id,
      amount_paise: play.amountPaise ?? order.amount_paise,
      currency: play.currency ?? order.currency,
      method: play.method ?? 'upi',
      status: play.outcome,
      ...(id !== undefined && { id }),
      ...(debit?.extra !== undefined && { extra: debit.extra }),
    });
    changed();
    void sendEvents(payment, order, play);
    return payment;
  };

  const summarise = (payment: GatewayPayment): PlayedPayment => ({
    gateway_payment_id: payment.id,
    gateway_order_id: payment.order_id,
    status: payment.status,
    amount_paise: payment.amount_paise,
    currency: payment.currency,
    method: payment.method,
    signature: protocol.checkoutSignature(payment),
  });

  /** Takes money of a payment away, unless too little is left, and sends what `take` returns. */
  const reverse = (
    gatewayPaymentId: string,
    { amountPaise, deliver = 'webhook' }: ReversalPlay,
    takenOf: (payment: GatewayPayment) => readonly { readonly amount_paise: number }[],
    take: (of: Reversed, amount: number) => { readonly id: string; readonly event: GatewayEvent },
  ): PlayedReversal | undefined => {
    const payment = store.payment(gatewayPaymentId);
    const order = store.order(payment?.order_id);
    if (payment === undefined || order === undefined) return undefined;
    const part = takeFrom(payment, takenOf(payment), amountPaise);
    if (!part.isLeft) return { leftPaise: part.leftPaise };
    const { id: reference, event } = take({ payment, order }, part.amount);
    changed();
    if (deliver !== 'none') void send(event, order.id);
    if (deliver === 'duplicate') void send(event, order.id);
    return { reference, amountPaise: part.amount };
  };

  const endDebit = async (debitId: string): Promise<void> => {
    const signal = backgroundWork.signal();
    await timers.sleep(settleMs, signal);
    const debit = store.debit(debitId);
    if (signal.aborted || debit?.status !== 'pending') return;
    const order = store.order(debit.order_id);
    if (order === undefined) return;
    const outcome = debit.mandate_token.includes('fail') ? 'failed' : 'captured';
    store.replaceDebit({ ...debit, status: outcome });
    pay(order, { outcome, amountPaise: debit.amount_paise, currency: debit.currency }, debit);
  };

  const settleLater = (debit: GatewayDebit): void => {
    if (!debit.mandate_token.includes('stuck')) void endDebit(debit.id);
  };

  return {
    play(gatewayOrderId, play) {
      const order = store.order(gatewayOrderId);
      if (order === undefined) return undefined;
      const refused = protocol.refuseAttempt?.(order);
      return refused === undefined ? summarise(pay(order, play)) : { refused };
    },
    refund: (gatewayPaymentId, play) =>
      reverse(
        gatewayPaymentId,
        play,
        ({ id }) => store.refundsOf(id),
        (of, amount) => {
          const given = { payment_id: of.payment.id, amount_paise: amount };
          const refund = store.addRefund({ ...given, status: 'processed' });
          return { id: refund.id, event: protocol.refundEvent(refund, of) };
        },
      ),
    loseDispute: (gatewayPaymentId, play) =>
      reverse(
        gatewayPaymentId,
        play,
        ({ id }) => store.disputesOf(id),
        (of, amount) => {
          const taken = { payment_id: of.payment.id, amount_paise: amount };
          const dispute = store.addDispute({ ...taken, status: 'lost' });
          return { id: dispute.id, event: protocol.disputeEvent(dispute, of) };
        },
      ),
    checkouts: (count) =>
      store.newestOrders(count).map((order) => ({
        gateway: protocol.name,
        gatewayOrderId: order.id,
        receipt: order.receipt,
        amountPaise: order.amount_paise,
        currency: order.currency,
        createdAt: order.created_at,
        expiresAt: order.expires_at,
        isPaid: store.isPaid(order.id),
        payments: store.paymentsOf(order.id).map(({ id, status }) => ({ id, status })),
      })),
    payments: (count) => store.newestPayments(count).map(summarise),
    settleLater,
    resume() {
      for (const debit of store.pendingDebits()) settleLater(debit);
    },
  };
};
