import type { GatewayRefund, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { addPaise, type Paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import { createHeldPaymentStore, type HeldPayment } from './held-payment.store.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';

/**
 * What a gateway says of a captured payment's money. NO_ANSWER: it was asked and nobody can say;
 * NOT_ASKED: it can't be asked, for want of an adapter, so an operator's word is all there is.
 */
export type MoneyProof =
  | {
      readonly kind: 'HELD' | 'PAID_BACK' | 'UNDER_WAY';
      /** The gateway has a refund of the reference that was asked about, for this payment. */
      readonly isNamed: boolean;
    }
  | { readonly kind: 'NO_ANSWER' }
  | { readonly kind: 'NOT_ASKED' };

const hasAnswered = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'done' || (outcome.kind === 'refused' && !isUnavailable(outcome));

const sumOf = (refunds: readonly GatewayRefund[], status: GatewayRefund['status']): Paise =>
  addPaise(
    ...refunds.filter((refund) => refund.status === status).map(({ amountPaise }) => amountPaise),
  );

const readRefunds = (
  payment: HeldPayment,
  refunds: readonly GatewayRefund[],
  reference: string | undefined,
): MoneyProof => {
  const isNamed = refunds.some((refund) => refund.refundId === reference);
  const paidBack = sumOf(refunds, 'PROCESSED');
  if (paidBack >= payment.amountPaise) return { kind: 'PAID_BACK', isNamed };
  // A part that went back is no longer held whole, and not all has gone back either.
  const isUnderWay = addPaise(paidBack, sumOf(refunds, 'PENDING')) > 0n;
  return { kind: isUnderWay ? 'UNDER_WAY' : 'HELD', isNamed };
};

/** A gateway that took the capture back itself: its payment reads otherwise now. */
const askPayment = async (gateway: PaymentGateway, payment: HeldPayment): Promise<MoneyProof> => {
  const { gatewayOrderId, gatewayPaymentId } = payment;
  if (gatewayOrderId === null) return { kind: 'HELD', isNamed: false };
  const listed = await gateway.listPayments(gatewayOrderId);
  if (!hasAnswered(listed)) return { kind: 'NO_ANSWER' };
  const payments = listed.kind === 'done' ? listed.value : [];
  const found = payments.find((known) => known.gatewayPaymentId === gatewayPaymentId);
  const isGone = found?.status === 'REFUNDED' || found?.status === 'FAILED';
  return { kind: isGone ? 'PAID_BACK' : 'HELD', isNamed: false };
};

/** What an operator who looks into an order asks of its payments, and does to them. */
export const createReviewPayments = (deps: {
  readonly clock: Clock;
  readonly gateways: GatewaysByCode;
}) => {
  const { clock, gateways } = deps;

  return {
    /** The captured payments of an order that were not paid back, oldest first. */
    held: (db: Db, orderId: string): Promise<HeldPayment[]> =>
      createHeldPaymentStore(db).ofOrder(orderId),

    /** Asks the gateway where the money is; outside any transaction. */
    async askAboutMoney(payment: HeldPayment, reference?: string): Promise<MoneyProof> {
      const gateway = gateways.get(payment.gateway);
      if (gateway === undefined) return { kind: 'NOT_ASKED' };
      const refunds = await gateway.getRefunds(payment.gatewayPaymentId);
      if (!hasAnswered(refunds)) return { kind: 'NO_ANSWER' };
      const proof = readRefunds(payment, refunds.kind === 'done' ? refunds.value : [], reference);
      return proof.kind === 'HELD' ? askPayment(gateway, payment) : proof;
    },

    /** In the transaction that settles the order, its row locked: this money went back. */
    async markRefunded(db: Db, payment: HeldPayment, reference: string): Promise<void> {
      const store = createHeldPaymentStore(db);
      if (await store.markRefunded(payment.id, reference, clock.now())) return;
      throw new Error(`payment ${payment.id} was settled by another`);
    },

    /** In the transaction that lets the order be allocated: this money pays for it. */
    async apply(db: Db, payment: HeldPayment): Promise<void> {
      if (await createHeldPaymentStore(db).apply(payment.id, clock.now())) return;
      throw new Error(`payment ${payment.id} can not pay its order`);
    },

    /** In the transaction in which an order fails because its money went back. */
    async refundPaymentOrders(db: Db, orderId: string): Promise<void> {
      const store = createPaymentOrderStore(db);
      for (const { id } of await store.listOfOrders([orderId])) {
        const order = await store.lock(id);
        if (order?.status !== 'PAID' && order?.status !== 'MANUAL_REVIEW') continue;
        await store.move(order, { to: 'REFUNDED', at: clock.now() });
      }
    },
  };
};

export type ReviewPayments = ReturnType<typeof createReviewPayments>;
