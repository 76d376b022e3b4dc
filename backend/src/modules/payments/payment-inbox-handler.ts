import type { ParsedPaymentEvent } from '../../adapters/payment-gateway/port.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { InboxHandler } from '../webhook-inbox/index.ts';
import type { ApplyPayment } from './apply-payment.ts';
import { factOf, infoOf, recordUnmatched } from './payment-fact.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
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

/** What payment events mean: the payment they speak of is applied, or kept as nobody's. */
export const createPaymentInboxHandler = (deps: {
  readonly random: Random;
  readonly applyPayment: ApplyPayment;
}): InboxHandler<ParsedPaymentEvent> => ({
  source: 'payment',
  applyTask: applyEventTask,
  namesOf: (event) => ({
    eventType: event.name,
    subject: event.gatewayOrderId,
    gatewayPaymentId: event.gatewayPaymentId,
  }),
  print: printPaymentEvent,
  parse: parsePaymentEvent,
  listMatchable,
  async interpret(db, { gateway, event, receivedAt, requestId }) {
    const target = await createPaymentOrderStore(db).findByGatewayOrder(
      gateway,
      event.gatewayOrderId,
    );
    const userId = target?.userId;
    const fact = factOf(event, gateway, receivedAt);
    if (fact === undefined) return { status: 'IGNORED', userId };
    return {
      status: target === undefined ? 'UNMATCHED' : 'APPLIED',
      userId,
      async apply() {
        if (target === undefined) await recordUnmatched(db, deps.random, fact);
        else await deps.applyPayment(db, target, fact, infoOf(event.name, gateway, requestId));
        return undefined;
      },
    };
  },
});
