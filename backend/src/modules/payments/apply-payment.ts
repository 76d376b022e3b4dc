import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { decideCapture, type CaptureDecision } from './decide-capture.ts';
import { decideFailure, type FailureDecision } from './decide-failure.ts';
import { createGatewayPaymentStore } from './gateway-payment.store.ts';
import type { OrderSettlement, PayableOrder, SettlementInfo } from './order-settlement.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import { paymentMethods } from './payments.types.ts';
import type { PaymentFact, PaymentOrder, RecordedPayment } from './payments.types.ts';

interface ApplyDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly settlement: OrderSettlement;
}

/** Everything that was read under the locks. */
interface Situation {
  readonly order: PayableOrder;
  readonly paymentOrder: PaymentOrder;
  readonly known: RecordedPayment | undefined;
  readonly hasOtherCapture: boolean;
}

/** What came of a payment: `changed` is false for one that told us nothing new. */
export interface AppliedPayment {
  readonly changed: boolean;
  readonly decision: CaptureDecision['kind'] | FailureDecision['kind'];
}

/** Reads what a decision needs; order first, then payment order: the one order of locks. */
const lockSituation = async (
  db: Db,
  settlement: OrderSettlement,
  target: PaymentOrder,
  fact: PaymentFact,
): Promise<Situation> => {
  const order = await settlement.lockOrder(db, target.orderId);
  const paymentOrder = await createPaymentOrderStore(db).lock(target.id);
  if (paymentOrder === undefined) throw new Error(`payment order ${target.id} is gone`);
  const payments = createGatewayPaymentStore(db);
  const known = await payments.find(fact.gateway, fact.gatewayPaymentId);
  const elsewhere = known?.paymentOrderId ?? paymentOrder.id;
  if (elsewhere !== paymentOrder.id) {
    throw new Error(`payment ${known?.id} belongs to payment order ${elsewhere}`);
  }
  const hasOtherCapture = await payments.hasOtherCapture(order.id, fact);
  return { order, paymentOrder, known, hasOtherCapture };
};

const methodOf = (fact: PaymentFact) => {
  const method = paymentMethods.find((known) => known === fact.method);
  return method === undefined ? {} : { method };
};

/**
 * Applies what a gateway says of one payment, whoever brought it: a webhook, the customer's
 * checkout, the janitor. Everything is read again under the locks, so any number of them at once
 * have one effect. Runs in the caller's transaction.
 * @throws what the settlement throws; the transaction must then fall
 */
export const createApplyPayment = ({ clock, random, settlement }: ApplyDeps) => {
  const capture = async (
    db: Db,
    fact: PaymentFact,
    situation: Situation,
    info: SettlementInfo,
  ): Promise<AppliedPayment> => {
    const { order, paymentOrder } = situation;
    const decision = decideCapture({ ...situation, payment: fact });
    if (decision.kind === 'ALREADY_KNOWN') return { changed: false, decision: decision.kind };
    const capturedPaymentId = await createGatewayPaymentStore(db).record(fact, {
      id: random.uuid(),
      paymentOrderId: paymentOrder.id,
      standing: decision.standing,
    });
    if (capturedPaymentId === undefined) throw new Error('a capture was recorded by another');
    if (decision.paymentOrderTo !== undefined) {
      await createPaymentOrderStore(db).move(paymentOrder, {
        to: decision.paymentOrderTo,
        at: clock.now(),
        capturedPaymentId,
        ...(decision.paymentOrderTo === 'PAID' && { paidAt: fact.learnedAt }),
        ...methodOf(fact),
      });
    }
    if (decision.kind === 'PAY') await settlement.markPaid(db, order, info);
    else await settlement.sendToReview(db, order, decision.code, decision.reason, info);
    return { changed: true, decision: decision.kind };
  };

  const failure = async (
    db: Db,
    fact: PaymentFact,
    situation: Situation,
    info: SettlementInfo,
  ): Promise<AppliedPayment> => {
    const { order, paymentOrder } = situation;
    const decision = decideFailure(situation);
    if (decision.kind === 'ALREADY_KNOWN') return { changed: false, decision: decision.kind };
    if (decision.kind === 'REVIEW') {
      await settlement.sendToReview(db, order, decision.code, decision.reason, info);
      return { changed: true, decision: decision.kind };
    }
    await createGatewayPaymentStore(db).record(fact, {
      id: random.uuid(),
      paymentOrderId: paymentOrder.id,
      standing: 'NONE',
    });
    if (decision.kind === 'FAIL') {
      await createPaymentOrderStore(db).move(paymentOrder, { to: 'FAILED', at: clock.now() });
      if (decision.failOrder) await settlement.markFailed(db, order, info);
    }
    return { changed: true, decision: decision.kind };
  };

  return async (
    db: Db,
    target: PaymentOrder,
    fact: PaymentFact,
    info: SettlementInfo,
  ): Promise<AppliedPayment> => {
    const situation = await lockSituation(db, settlement, target, fact);
    return fact.kind === 'captured'
      ? capture(db, fact, situation, info)
      : failure(db, fact, situation, info);
  };
};

export type ApplyPayment = ReturnType<typeof createApplyPayment>;
