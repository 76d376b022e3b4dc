import { z } from 'zod';
import type {
  ParsedGatewayEvent,
  ParsedPaymentEvent,
  ParsedReversalEvent,
} from '../../adapters/payment-gateway/port.ts';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { EventEffect, InboxHandler } from '../webhook-inbox/index.ts';
import { applyPayment, recordUnmatchedPayment } from './apply-payment.ts';
import {
  gatewayCause,
  type PaymentOrder,
  type PaymentReport,
  type PaymentsDeps,
  type ReversalReport,
} from './payments.types.ts';
import { applyReversal } from './apply-reversal.ts';
import type { CausedBy } from '../orders/index.ts';
import { findRecordedPayment } from './gateway-payments.store.ts';
import { findByGatewayOrder, findPaymentOrder } from './payment-orders.store.ts';
import { APPLY_EVENT_TASK } from './payments.jobs.ts';

const commonFields = {
  name: z.string(),
  gatewayPaymentId: z.string(),
  amountPaise: z.int().transform(fromSafePaise),
  occurredAt: z.iso.datetime().transform((text) => new Date(text)),
};

/** The form of an event that the inbox stores sealed until the event can be applied. */
const storedEventSchema = z.discriminatedUnion('kind', [
  z.object({
    ...commonFields,
    kind: z.enum(['captured', 'failed', 'other']),
    gatewayOrderId: z.string(),
    currency: z.string(),
    method: z.string().exactOptional(),
  }),
  z.object({
    ...commonFields,
    kind: z.enum(['refunded', 'dispute_lost']),
    gatewayOrderId: z.string().exactOptional(),
    reference: z.string().exactOptional(),
  }),
]);

/**
 * Lists the UNMATCHED events whose order or payment has been recorded since they arrived, oldest
 * first. Events whose retry has failed come last.
 */
const listMatchable = async (db: Db, receivedFrom: Date, limit: number): Promise<string[]> => {
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
      SELECT e.id FROM webhook_event e
      WHERE e.source = 'payment' AND e.status = 'UNMATCHED'
        AND e.received_at >= ${receivedFrom}::timestamptz
        AND (EXISTS (
            SELECT FROM payment_order p
            WHERE p.gateway = e.gateway AND p.gateway_order_id = e.subject)
          OR EXISTS (
            SELECT FROM gateway_attempt a
            WHERE a.gateway = e.gateway AND a.gateway_order_id = e.subject)
          OR EXISTS (
            SELECT FROM gateway_payment g
            WHERE g.gateway = e.gateway AND g.gateway_payment_id = e.gateway_payment_id
              AND g.payment_order_id IS NOT NULL))
      ORDER BY e.next_attempt_at NULLS FIRST, e.received_at LIMIT ${limit}`,
  );
  return rows.map((row) => row.id);
};

const isReversal = (event: ParsedGatewayEvent): event is ParsedReversalEvent =>
  event.kind === 'refunded' || event.kind === 'dispute_lost';

/** The report of an event, of a payment or of a reversal. */
type EventReport =
  | { readonly kind: 'payment'; readonly report: PaymentReport }
  | { readonly kind: 'reversal'; readonly report: ReversalReport };

/** Returns the report of an event, or undefined if the event has no effect. */
const reportOf = (
  event: ParsedGatewayEvent,
  gateway: string,
  learnedAt: Date,
): EventReport | undefined => {
  if (isReversal(event)) {
    const { kind, gatewayPaymentId, reference, amountPaise, occurredAt } = event;
    const details = { gateway, gatewayPaymentId, reference, amountPaise, occurredAt, learnedAt };
    const report = { ...details, kind: kind === 'refunded' ? 'REFUND' : 'DISPUTE' } as const;
    return { kind: 'reversal', report };
  }
  const { kind, name: _, ...payment }: ParsedPaymentEvent = event;
  if (kind === 'other') return undefined;
  return { kind: 'payment', report: { ...payment, kind, gateway, learnedAt } };
};

/**
 * Finds the payment order of an event by the gateway's order. An event that names no order is
 * matched by its recorded payment.
 */
const findTarget = async (
  db: Db,
  gateway: string,
  { gatewayOrderId, gatewayPaymentId }: ParsedGatewayEvent,
): Promise<PaymentOrder | undefined> => {
  if (gatewayOrderId !== undefined) return findByGatewayOrder(db, gateway, gatewayOrderId);
  const payment = await findRecordedPayment(db, gateway, gatewayPaymentId);
  const id = payment?.paymentOrderId ?? undefined;
  return id === undefined ? undefined : findPaymentOrder(db, id);
};

/**
 * Returns true for a reversal of a payment without an order, if an operator has already recorded
 * the refund. Such an event need not wait for its order.
 */
const isRefundRecorded = async (
  db: Db,
  gateway: string,
  { reported, target }: Pick<PaymentEventEffect, 'reported' | 'target'>,
): Promise<boolean> => {
  if (reported?.kind !== 'reversal' || target !== undefined) return false;
  const payment = await findRecordedPayment(db, gateway, reported.report.gatewayPaymentId);
  return payment?.status === 'REFUNDED';
};

/** The effect of a payment event, with its report and its payment order. */
interface PaymentEventEffect extends EventEffect {
  readonly reported: EventReport | undefined;
  readonly target: PaymentOrder | undefined;
  readonly cause: CausedBy;
}

/** Creates the inbox handler of payment events, which applies their reports. */
export const createPaymentEventHandler = (
  deps: Pick<PaymentsDeps, 'clock' | 'random' | 'logger' | 'notify' | 'portfolios' | 'metrics'>,
): InboxHandler<ParsedGatewayEvent, PaymentEventEffect> => ({
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
    const reported = reportOf(event, gateway, receivedAt);
    const target = await findTarget(db, gateway, event);
    const matchStatus = target === undefined ? 'UNMATCHED' : 'APPLIED';
    const hasNoEffect =
      reported === undefined || (await isRefundRecorded(db, gateway, { reported, target }));
    return {
      status: hasNoEffect ? 'IGNORED' : matchStatus,
      userId: target?.userId,
      reported,
      target,
      cause: gatewayCause(event.name, gateway, requestId),
    };
  },

  async apply(db, { status, reported, target, cause }) {
    if (reported === undefined) return status;
    if (reported.kind === 'reversal') {
      // The order is not known yet, so the event waits in the inbox.
      if (target === undefined) return status;
      await applyReversal(deps, db, target, { report: reported.report, cause });
      return status;
    }
    if (target === undefined) await recordUnmatchedPayment(deps, db, reported.report);
    else await applyPayment(deps, db, target, { report: reported.report, cause });
    return status;
  },

  async afterCommit({ reported, target }) {
    if (reported?.kind !== 'reversal' || target === undefined) return;
    const { gateway, kind } = reported.report;
    deps.metrics.countReversal(gateway, kind, 'webhook');
    await deps.portfolios.drop(target.userId);
  },
});
