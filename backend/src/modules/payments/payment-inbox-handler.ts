import type { ParsedPaymentEvent } from '../../adapters/payment-gateway/port.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { EventEffect, InboxHandler } from '../webhook-inbox/index.ts';
import type { ApplyPayment } from './apply-payment.ts';
import { factOf, infoOf, recordUnmatched } from './payment-fact.ts';
import type { SettlementInfo } from './order-settlement.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import type { PaymentFact, PaymentOrder } from './payments.types.ts';
import { parsePaymentEvent, printPaymentEvent } from './sealed-event.ts';

/** Applies one stored event. */
export const applyEventTask = 'payments.apply-event';

/** Events of unknown orders whose order became known since, oldest first. */
const listMatchable = async (db: Db, receivedFrom: Date, limit: number): Promise<string[]> => {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT e.id FROM webhook_event e
    JOIN payment_order p ON p.gateway = e.gateway AND p.gateway_order_id = e.subject
    WHERE e.source = 'payment' AND e.status = 'UNMATCHED'
      AND e.received_at >= ${receivedFrom}::timestamptz
    ORDER BY e.received_at LIMIT ${limit}`;
  return rows.map((row) => row.id);
};

/** What an event concerns: the payment that it reports, and the payment order that it is of. */
interface PaymentEventEffect extends EventEffect {
  /** Undefined where the event reports no payment. */
  readonly fact: PaymentFact | undefined;
  readonly target: PaymentOrder | undefined;
  readonly info: SettlementInfo;
}

/** Creates what the inbox does with payment events: it applies the payments that they report. */
export const createPaymentInboxHandler = (deps: {
  readonly random: Random;
  readonly applyPayment: ApplyPayment;
}): InboxHandler<ParsedPaymentEvent, PaymentEventEffect> => ({
  source: 'payment',
  applyTask: applyEventTask,
  namesOf: (event) => ({
    eventType: event.name,
    subject: event.gatewayOrderId,
    gatewayPaymentId: event.gatewayPaymentId,
  }),
  serialize: printPaymentEvent,
  parse: parsePaymentEvent,
  listMatchable,

  async resolve(db, { gateway, event, receivedAt, requestId }) {
    const fact = factOf(event, gateway, receivedAt);
    const store = createPaymentOrderStore(db);
    const target = await store.findByGatewayOrder(gateway, event.gatewayOrderId);
    const found = target === undefined ? 'UNMATCHED' : 'APPLIED';
    return {
      status: fact === undefined ? 'IGNORED' : found,
      userId: target?.userId,
      fact,
      target,
      info: infoOf(event.name, gateway, requestId),
    };
  },

  async apply(db, { status, fact, target, info }) {
    if (fact === undefined) return status;
    if (target === undefined) await recordUnmatched(db, deps.random, fact);
    else await deps.applyPayment(db, target, fact, info);
    return status;
  },
});
