import {
  cannotSay,
  GATEWAY_NOT_FOUND,
  hasUnread,
  isRead,
  type GatewayPayment,
  type Listed,
  type PaymentGateway,
} from '../../../adapters/payment-gateway/port.ts';
import { toSafePaise, type Paise } from '../../../money/index.ts';
import { done } from '../../../platform/outcome/outcome.ts';
import { sql } from '../../../platform/db/index.ts';
import { fetchEach, toFetched, type Fetched } from '../fetch-each.ts';
import { findRows, mergeFindings, noFindings } from '../findings.ts';
import type { Check, CheckContext, Findings, Read, Sample } from '../reconciliation.types.ts';

interface PaymentOrderRow {
  readonly paymentOrderId: string;
  readonly orderId: string;
  readonly userId: string;
  readonly gateway: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderStatus: string;
  readonly total: number;
}

/** Money of a payment that certainly went away, as its gateway has it. */
interface GatewayReversal {
  readonly kind: 'REFUND' | 'DISPUTE';
  readonly reference: string;
  readonly amountPaise: Paise;
  readonly occurredAt: Date;
}

type Capture = PaymentOrderRow & { readonly payment: GatewayPayment };

/** Money of a capture that went away again, as the gateway has it. */
type Reversal = Capture & { readonly reversal: GatewayReversal };

/** A gateway's view of one payment order. */
interface AtGateway {
  readonly captures: readonly GatewayPayment[];
  readonly reversals: readonly {
    readonly payment: GatewayPayment;
    readonly reversal: GatewayReversal;
  }[];
  /** The reason for which the refunds of some payments are not known. */
  readonly incomplete?: string;
}

/** Finds signed captures of orders that we don't know; those that still wait are of any age. */
const findUnknownCaptures = (read: Read, from: Date): Promise<Findings> =>
  findRows(
    read,
    sql`
      SELECT g.learned_at AS since, g.gateway, g.gateway_payment_id AS "gatewayPaymentId",
        g.gateway_order_id AS "gatewayOrderId", g.amount_paise AS "amountPaise", g.currency,
        g.standing
      FROM (
        SELECT w.gateway, w.gateway_payment_id FROM webhook_event w
        WHERE w.status = 'UNMATCHED'
          AND w.source = 'payment' AND w.gateway_payment_id IS NOT NULL
        UNION
        SELECT r.gateway, r.gateway_payment_id FROM gateway_payment r
        WHERE r.learned_at >= ${from}::timestamptz) AS candidate
      JOIN gateway_payment g USING (gateway, gateway_payment_id)
      WHERE g.status = 'CAPTURED' AND g.standing = 'UNMATCHED'
        AND NOT EXISTS (
          SELECT FROM payment_order p
          WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id)
        AND NOT EXISTS (
          SELECT FROM gateway_attempt a
          WHERE a.gateway = g.gateway AND a.gateway_order_id = g.gateway_order_id)`,
  );

/**
 * Lists the payment orders that were made or given up in the window, those without a capture
 * first: each at its gateway, and at the others that were tried before and may have made an order
 * too.
 */
const listPaymentOrders = (read: Read, from: Date, most: number) =>
  read<PaymentOrderRow>(sql`
    SELECT p.id AS "paymentOrderId", p.order_id AS "orderId", p.user_id AS "userId", m.gateway,
      m.gateway_order_id AS "gatewayOrderId", p.status AS "paymentOrderStatus",
      (count(*) OVER ())::int AS total
    FROM payment_order p
    CROSS JOIN LATERAL (
      SELECT p.gateway, p.gateway_order_id
      UNION
      SELECT a.gateway, a.gateway_order_id FROM gateway_attempt a
      WHERE a.payment_order_id = p.id AND a.status <> 'REFUSED'
        AND (a.gateway <> p.gateway OR a.gateway_order_id <> p.gateway_order_id)) AS m
    -- One that was given up in the window may have been paid since, however old it is.
    WHERE p.created_at >= ${from}::timestamptz
      OR (p.status IN ('FAILED', 'EXPIRED') AND p.updated_at >= ${from}::timestamptz)
    ORDER BY p.captured_payment_id IS NOT NULL, p.created_at DESC, p.id DESC
    LIMIT ${most}::int`);

/**
 * Returns the captures that are booked nowhere here and of which no event waits. It reads after
 * the gateway's answer, so that a capture booked meanwhile is none.
 */
const findUnbooked = async (read: Read, captures: readonly Capture[]): Promise<Capture[]> => {
  if (captures.length === 0) return [];
  const rows = await read<{ n: number }>(sql`
    SELECT fetched.n::int AS n
    FROM unnest(${captures.map(({ gateway }) => gateway)}::text[],
      ${captures.map(({ payment }) => payment.gatewayPaymentId)}::text[],
      ${captures.map(({ payment }) => payment.gatewayOrderId)}::text[])
      WITH ORDINALITY AS fetched (gateway, payment_id, gateway_order_id, n)
    WHERE NOT EXISTS (
        SELECT FROM gateway_payment g
        WHERE g.gateway = fetched.gateway AND g.gateway_payment_id = fetched.payment_id
          AND g.status IN ('CAPTURED', 'REFUNDED')
          AND (g.standing <> 'UNMATCHED' OR NOT EXISTS (
            SELECT FROM payment_order p
            WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id
            UNION ALL
            SELECT FROM gateway_attempt a
            WHERE a.gateway = g.gateway AND a.gateway_order_id = g.gateway_order_id)))
      AND NOT EXISTS (
        SELECT FROM webhook_event w
        WHERE w.source = 'payment' AND w.gateway = fetched.gateway
          AND w.subject = fetched.gateway_order_id AND w.gateway_payment_id = fetched.payment_id
          AND w.status IN ('PENDING', 'UNMATCHED'))
    ORDER BY fetched.n`);
  return rows.flatMap(({ n }) => captures[n - 1] ?? []);
};

/**
 * Returns the reversals of captures booked here that are recorded nowhere and of which no event
 * waits. A refund of money that a resolution here has paid back is none. Reads after the answer.
 */
const findUnrecorded = async (read: Read, reversals: readonly Reversal[]): Promise<Reversal[]> => {
  if (reversals.length === 0) return [];
  const rows = await read<{ n: number }>(sql`
    SELECT fetched.n::int AS n
    FROM unnest(${reversals.map(({ gateway }) => gateway)}::text[],
      ${reversals.map(({ payment }) => payment.gatewayPaymentId)}::text[],
      ${reversals.map(({ reversal }) => reversal.kind)}::text[],
      ${reversals.map(({ reversal }) => reversal.reference)}::text[],
      ${reversals.map(({ reversal }) => reversal.amountPaise)}::bigint[])
      WITH ORDINALITY AS fetched (gateway, payment_id, kind, reference, amount_paise, n)
    JOIN gateway_payment g
      ON g.gateway = fetched.gateway AND g.gateway_payment_id = fetched.payment_id
    WHERE (g.status = 'CAPTURED' OR (g.status = 'REFUNDED' AND fetched.kind = 'DISPUTE'))
      AND g.standing <> 'UNMATCHED'
      AND NOT EXISTS (
        SELECT FROM payment_reversal r
        WHERE r.gateway = fetched.gateway AND r.gateway_payment_id = fetched.payment_id
          AND r.kind = fetched.kind AND (r.reference = fetched.reference
            OR (r.reference IS NULL AND r.amount_paise = fetched.amount_paise)))
      AND NOT EXISTS (
        SELECT FROM webhook_event w
        WHERE w.source = 'payment' AND w.gateway = fetched.gateway
          AND w.gateway_payment_id = fetched.payment_id AND w.status IN ('PENDING', 'UNMATCHED'))
    ORDER BY fetched.n`);
  return rows.flatMap(({ n }) => reversals[n - 1] ?? []);
};

/** An order that can't exist: a gateway that says so is reachable. */
const noSuchOrder = 'reconciliation-check';

interface PaidPayments {
  /** Those whose money came. Some gateways say REFUNDED of one that has gone back whole. */
  readonly paid: readonly GatewayPayment[];
  /** True where a payment can't be read. */
  readonly isPartial: boolean;
}

const paidOf = (payments: Listed<GatewayPayment>): PaidPayments => ({
  paid: payments
    .filter(isRead)
    .filter(({ status }) => status === 'CAPTURED' || status === 'REFUNDED'),
  isPartial: hasUnread(payments),
});

const nothingPaid: PaidPayments = { paid: [], isPartial: false };

/** Reads "no such order" or payment as nothing; any other refusal leaves the question open. */
const noneWhereNotFound = (code: string) => (code === GATEWAY_NOT_FOUND ? [] : undefined);

/**
 * Fetches a gateway's paid payments of a payment order; a lost gateway order is found by receipt.
 */
const fetchPaid = async (
  gateway: PaymentGateway,
  row: PaymentOrderRow,
): Promise<Fetched<PaidPayments>> => {
  let { gatewayOrderId } = row;
  if (gatewayOrderId === null) {
    const found = toFetched(gateway.code, await gateway.findOrderByReceipt(row.paymentOrderId), {
      onDone: (order) => order?.gatewayOrderId ?? '',
      onRefused: (code) => (code === GATEWAY_NOT_FOUND ? '' : undefined),
    });
    if (typeof found === 'string') return found;
    gatewayOrderId = found.answer;
  }
  if (gatewayOrderId === '') return { answer: nothingPaid };
  return toFetched(gateway.code, await gateway.listPayments(gatewayOrderId), {
    onDone: paidOf,
    onRefused: (code) => (code === GATEWAY_NOT_FOUND ? nothingPaid : undefined),
  });
};

interface PaymentReversals {
  readonly reversals: readonly GatewayReversal[];
  /** False where the gateway can't say what it refunded of such a payment. */
  readonly areRefundsReported: boolean;
  /** True where a refund or dispute can't be read. */
  readonly isPartial: boolean;
}

/** Fetches the processed refunds and lost disputes of a payment. */
const fetchReversals = async (
  gateway: PaymentGateway,
  payment: GatewayPayment,
): Promise<Fetched<PaymentReversals>> => {
  const [refunds, disputes] = await Promise.all([
    gateway.getRefunds(payment),
    gateway.getDisputes(payment),
  ]);
  const areRefundsReported = !cannotSay(refunds);
  const refunded = toFetched(gateway.code, areRefundsReported ? refunds : done([]), {
    onDone: (all) => all,
    onRefused: noneWhereNotFound,
  });
  const lost = toFetched(gateway.code, disputes, {
    onDone: (all) => all,
    onRefused: noneWhereNotFound,
  });
  if (typeof refunded === 'string') return refunded;
  if (typeof lost === 'string') return lost;
  const reversals: GatewayReversal[] = [];
  const processed = refunded.answer.filter(isRead).filter(({ status }) => status === 'PROCESSED');
  for (const { refundId: reference, amountPaise, createdAt: occurredAt } of processed) {
    reversals.push({ kind: 'REFUND', reference, amountPaise, occurredAt });
  }
  const taken = lost.answer.filter(isRead).filter(({ status }) => status === 'LOST');
  for (const { disputeId: reference, amountPaise, createdAt: occurredAt } of taken) {
    reversals.push({ kind: 'DISPUTE', reference, amountPaise, occurredAt });
  }
  const isPartial = hasUnread(refunded.answer) || hasUnread(lost.answer);
  return { answer: { reversals, areRefundsReported, isPartial } };
};

/** Fetches what a gateway has of a payment order: captures, and what went away of them again. */
const fetchAll = async (
  gateway: PaymentGateway | undefined,
  row: PaymentOrderRow,
): Promise<Fetched<AtGateway>> => {
  if (gateway === undefined) return `there is no adapter for ${row.gateway}`;
  const paid = await fetchPaid(gateway, row);
  if (typeof paid === 'string') return paid;
  const reversals: AtGateway['reversals'][number][] = [];
  let areAllReported = true;
  let { isPartial } = paid.answer;
  for (const payment of paid.answer.paid) {
    const found = await fetchReversals(gateway, payment);
    if (typeof found === 'string') return found;
    reversals.push(...found.answer.reversals.map((reversal) => ({ payment, reversal })));
    areAllReported &&= found.answer.areRefundsReported;
    isPartial ||= found.answer.isPartial;
  }
  const captures = paid.answer.paid.filter(({ status }) => status === 'CAPTURED');
  const unreported = `${gateway.code} cannot say what it refunded of the charges of mandates`;
  const unread = `${gateway.code} lists rows of payment order ${row.paymentOrderId} that cannot be read`;
  const incomplete = isPartial ? unread : unreported;
  return {
    answer: { captures, reversals, ...((isPartial || !areAllReported) && { incomplete }) },
  };
};

/** Checks that the gateways can be reached at all, where there is no order to fetch. */
const probe = async ({ gateways, limits }: CheckContext): Promise<Findings> => {
  const items = [...gateways.values()];
  const { incomplete } = await fetchEach({ items, total: items.length }, limits, async (gateway) =>
    toFetched(gateway.code, await gateway.getOrder(noSuchOrder), {
      onDone: () => true,
      onRefused: (code) => code === GATEWAY_NOT_FOUND || undefined,
    }),
  );
  return incomplete === undefined ? noFindings : { ...noFindings, incomplete };
};

const toSample = (capture: Capture): Sample => {
  const { payment } = capture;
  return {
    since: payment.createdAt.toISOString(),
    paymentOrderId: capture.paymentOrderId,
    orderId: capture.orderId,
    userId: capture.userId,
    gateway: capture.gateway,
    paymentOrderStatus: capture.paymentOrderStatus,
    gatewayOrderId: payment.gatewayOrderId,
    gatewayPaymentId: payment.gatewayPaymentId,
    amountPaise: toSafePaise(payment.amountPaise),
    currency: payment.currency,
  };
};

const toReversalSample = (found: Reversal): Sample => {
  const { kind, reference, amountPaise, occurredAt } = found.reversal;
  return {
    ...toSample(found),
    since: occurredAt.toISOString(),
    capturedPaise: toSafePaise(found.payment.amountPaise),
    amountPaise: toSafePaise(amountPaise),
    kind,
    reference,
  };
};

/**
 * Finds captures that a gateway has and that are booked for no order here: the gateways' captures
 * of the window's payment orders, and the signed captures of orders that we don't know; and the
 * refunds and lost disputes of captures that we have, where they are not recorded. One whose event
 * waits in the inbox for an order that we know is `webhook_backlog`.
 */
export const gatewayCaptureMissing: Check = {
  id: 'gateway_capture_missing',
  title: 'The gateway has a capture, refund or lost dispute that we lack',
  severity: 'critical',
  callsCollaborator: true,
  async run(context) {
    const { read, from, gateways, limits } = context;
    const unmatched = await findUnknownCaptures(read, from);
    const orders = await listPaymentOrders(read, from, limits.most);
    const total = orders[0]?.total ?? 0;
    if (total === 0) return mergeFindings(unmatched, await probe(context));
    const fetched = await fetchEach({ items: orders, total }, limits, (order) =>
      fetchAll(gateways.get(order.gateway), order),
    );
    const captures = fetched.answers.flatMap(({ item, answer }) =>
      answer.captures.map((payment) => ({ ...item, payment })),
    );
    const reversals = fetched.answers.flatMap(({ item, answer }) =>
      answer.reversals.map((found) => ({ ...item, ...found })),
    );
    const missing = [
      ...(await findUnbooked(read, captures)).map(toSample),
      ...(await findUnrecorded(read, reversals)).map(toReversalSample),
    ];
    // It does not end the questions about the others, as a gateway without an answer does.
    const unreported = fetched.answers.find(({ answer }) => answer.incomplete !== undefined);
    const incomplete = fetched.incomplete ?? unreported?.answer.incomplete;
    return mergeFindings(unmatched, {
      count: missing.length,
      samples: missing,
      ...(incomplete !== undefined && { incomplete }),
    });
  },
};
