import type { Clock } from '../../../../platform/clock/clock.ts';
import type { Timers } from '../../../../platform/clock/timers.ts';
import type { Random } from '../../../../platform/ids/random.ts';
import type { BackgroundWork } from '../../core/background-work.ts';
import type {
  PlayedPayment,
  PaymentPlay,
  PlayedReversal,
  ReversalPlay,
  CheckoutSimulator,
} from '../../core/checkout-simulator.ts';
import { hexHmac } from '../../core/credentials.ts';
import type { WebhookOutbox } from '../../core/webhook-outbox.ts';
import type {
  GatewayStore,
  GatewayDebit,
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
} from './gateway-store.ts';

interface GatewayCheckoutSimulatorOptions {
  readonly store: GatewayStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly backgroundWork: BackgroundWork;
  readonly outbox: WebhookOutbox;
  readonly changed: () => void;
  readonly keySecret: string;
  readonly webhookSecret: string;
  /** Real time after which a debit under a mandate ends. */
  readonly settleMs: number;
}

const webhookPath = '/v1/webhooks/payment/sandbox';
const defaultDelayMs = 3000;

/** Simulates checkouts, and ends debits under mandates. */
export interface GatewayCheckoutSimulator extends CheckoutSimulator {
  /** Ends a debit after the settling time, unless its mandate is a stuck one. */
  settleLater(debit: GatewayDebit): void;
}

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

/**
 * Takes payments at the gateway's checkout and sends their webhooks (contract:
 * payments-and-webhooks > Neutral gateway).
 */
export const createGatewayCheckoutSimulator = (
  options: GatewayCheckoutSimulatorOptions,
): GatewayCheckoutSimulator => {
  const { store, clock, timers, random, backgroundWork, outbox, changed, settleMs } = options;

  const deliver = (
    event: string,
    payment: GatewayPayment,
    changes: { readonly amount_paise?: number; status?: string; reference?: string } = {},
  ): (() => Promise<void>) => {
    const data = {
      gateway_order_id: payment.order_id,
      gateway_payment_id: payment.id,
      amount_paise: payment.amount_paise,
      currency: payment.currency,
      method: payment.method,
      status: payment.status,
      ...changes,
    };
    const body = JSON.stringify({ event, created_at: clock.now().toISOString(), data });
    const headers = {
      'x-gateway-signature': hexHmac(options.webhookSecret, body),
      'x-gateway-event-id': `sbx_evt_${random.uuid().replaceAll('-', '')}`,
    };
    const subject = payment.order_id;
    return () => outbox.deliver({ event, subject, path: webhookPath, headers, body });
  };

  const sendEvents = async (payment: GatewayPayment, play: PaymentPlay): Promise<void> => {
    const mode = play.deliver ?? 'webhook';
    if (mode === 'none') return;
    const events =
      payment.status === 'captured' ? ['payment.captured', 'order.paid'] : ['payment.failed'];
    const sends = events.map((event) => deliver(event, payment));
    if (mode === 'reordered') {
      for (const send of sends.toReversed()) await send();
      return;
    }
    if (mode === 'delayed') {
      const signal = backgroundWork.signal();
      await timers.sleep(play.delayMs ?? defaultDelayMs, signal);
      if (signal.aborted) return;
    }
    const copies = mode === 'duplicate' ? [...sends, ...sends] : sends;
    await Promise.all(copies.map((send) => send()));
  };

  const pay = (order: GatewayOrder, play: PaymentPlay): GatewayPayment => {
    const payment = store.addPayment({
      order_id: order.id,
      amount_paise: play.amountPaise ?? order.amount_paise,
      currency: play.currency ?? order.currency,
      method: play.method ?? 'upi',
      status: play.outcome,
    });
    changed();
    void sendEvents(payment, play);
    return payment;
  };

  const summarise = (payment: GatewayPayment): PlayedPayment => ({
    gateway_payment_id: payment.id,
    gateway_order_id: payment.order_id,
    status: payment.status,
    amount_paise: payment.amount_paise,
    currency: payment.currency,
    method: payment.method,
    signature: hexHmac(options.keySecret, `${payment.order_id}|${payment.id}`),
  });

  /** Sends the event of a refund or dispute, whose amount and id replace the payment's. */
  const sendReversal = (
    event: string,
    payment: GatewayPayment,
    reversal: GatewayRefund | GatewayDispute,
    { deliver: mode = 'webhook' }: ReversalPlay,
  ): PlayedReversal => {
    changed();
    const { id: reference, amount_paise, status } = reversal;
    const send = deliver(event, payment, { amount_paise, status, reference });
    if (mode !== 'none') void send();
    if (mode === 'duplicate') void send();
    return { reference, amountPaise: amount_paise };
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
    pay(order, { outcome, amountPaise: debit.amount_paise, currency: debit.currency });
  };

  return {
    play(gatewayOrderId, play) {
      const order = store.order(gatewayOrderId);
      return order === undefined ? undefined : summarise(pay(order, play));
    },
    refund(gatewayPaymentId, play) {
      const payment = store.payment(gatewayPaymentId);
      if (payment === undefined) return undefined;
      const part = takeFrom(payment, store.refundsOf(payment.id), play.amountPaise);
      if (!part.isLeft) return { leftPaise: part.leftPaise };
      const given = { payment_id: payment.id, amount_paise: part.amount };
      const refund = store.addRefund({ ...given, status: 'processed' });
      return sendReversal('refund.processed', payment, refund, play);
    },
    loseDispute(gatewayPaymentId, play) {
      const payment = store.payment(gatewayPaymentId);
      if (payment === undefined) return undefined;
      const part = takeFrom(payment, store.disputesOf(payment.id), play.amountPaise);
      if (!part.isLeft) return { leftPaise: part.leftPaise };
      const taken = { payment_id: payment.id, amount_paise: part.amount };
      const dispute = store.addDispute({ ...taken, status: 'lost' });
      return sendReversal('dispute.lost', payment, dispute, play);
    },
    checkouts: (count) =>
      store.newestOrders(count).map((order) => ({
        gateway: 'sandbox-gateway',
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
    settleLater(debit) {
      if (!debit.mandate_token.includes('stuck')) void endDebit(debit.id);
    },
  };
};
