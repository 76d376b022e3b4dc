import { z } from 'zod';
import type { ParsedPaymentEvent } from '../../adapters/payment-gateway/port.ts';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { EventEffect, InboxHandler } from '../webhook-inbox/index.ts';
import { applyPayment, causeOf, recordUnmatchedPayment } from './apply-payment.ts';
import type { CausedBy } from '../orders/index.ts';
import { findByGatewayOrder } from './payment-orders.store.ts';
import type { PaymentOrder, PaymentReport, PaymentsDeps } from './payments.types.ts';

/** The job that applies one stored event. */
export const APPLY_EVENT_TASK = 'payments.apply-event';

/** The form in which the inbox seals an event until it can be applied. */
const storedEventSchema = z.object({
  kind: z.enum(['captured', 'failed', 'other']),
  name: z.string(),
  gatewayOrderId: z.string(),
  gatewayPaymentId: z.string(),
  amountPaise: z.int().transform(fromSafePaise),
  currency: z.string(),
  method: z.string().exactOptional(),
  occurredAt: z.iso.datetime().transform((text) => new Date(text)),
});

/** Lists events of unknown orders whose order became known since, oldest first. */
const listMatchable = async (db: Db, receivedFrom: Date, limit: number): Promise<string[]> => {
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
      SELECT e.id FROM webhook_event e
      JOIN payment_order p ON p.gateway = e.gateway AND p.gateway_order_id = e.subject
      WHERE e.source = 'payment' AND e.status = 'UNMATCHED'
        AND e.received_at >= ${receivedFrom}::timestamptz
      ORDER BY e.received_at LIMIT ${limit}`,
  );
  return rows.map((row) => row.id);
};

/** Returns the payment that an event reports; undefined where it reports none. */
const reportOf = (
  event: ParsedPaymentEvent,
  gateway: string,
  learnedAt: Date,
): PaymentReport | undefined => {
  const { kind, name: _, ...payment } = event;
  return kind === 'other' ? undefined : { ...payment, kind, gateway, learnedAt };
};

/** Adds the payment that an event reports, and the payment order that it is of. */
interface PaymentEventEffect extends EventEffect {
  readonly report: PaymentReport | undefined;
  readonly target: PaymentOrder | undefined;
  readonly cause: CausedBy;
}

/** Creates what the inbox does with payment events: it applies the payments that they report. */
export const createPaymentEventHandler = (
  deps: Pick<PaymentsDeps, 'clock' | 'random' | 'logger' | 'orders'>,
): InboxHandler<ParsedPaymentEvent, PaymentEventEffect> => ({
  source: 'payment',
  applyTask: APPLY_EVENT_TASK,
  namesOf: (event) => ({
    eventType: event.name,
    subject: event.gatewayOrderId,
    gatewayPaymentId: event.gatewayPaymentId,
  }),
  serialize: (event) => ({ ...event, amountPaise: toSafePaise(event.amountPaise) }),
  parse: (content) => storedEventSchema.parse(content),
  listMatchable,

  async resolve(db, { gateway, event, receivedAt, requestId }) {
    const report = reportOf(event, gateway, receivedAt);
    const target = await findByGatewayOrder(db, gateway, event.gatewayOrderId);
    const found = target === undefined ? 'UNMATCHED' : 'APPLIED';
    return {
      status: report === undefined ? 'IGNORED' : found,
      userId: target?.userId,
      report,
      target,
      cause: causeOf(event.name, gateway, requestId),
    };
  },

  async apply(db, { status, report, target, cause }) {
    if (report === undefined) return status;
    if (target === undefined) await recordUnmatchedPayment(deps, db, report);
    else await applyPayment(deps, db, target, { report, cause });
    return status;
  },
});
