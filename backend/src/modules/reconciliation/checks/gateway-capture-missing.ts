import type { GatewayPayment, PaymentGateway } from '../../../adapters/payment-gateway/port.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { toSafePaise } from '../../../money/index.ts';
import { askEach, toAsked, type Asked } from '../ask-each.ts';
import { findRows } from '../find-rows.ts';
import { mergeFindings, noFindings } from '../merge-findings.ts';
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

type Capture = PaymentOrderRow & { readonly payment: GatewayPayment };

/** A gateway's order that can't be: "there is none" is an answer. */
const nobodysOrder = 'reconciliation-check';

/** Signed captures of orders that nobody here knows. Those that still wait: of any age. */
const findStrays = (read: Read, from: Date): Promise<Findings> =>
  findRows(
    read,
    Prisma.sql`
      SELECT g.learned_at AS since, g.gateway, g.gateway_payment_id AS "gatewayPaymentId",
        g.gateway_order_id AS "gatewayOrderId", g.amount_paise AS "amountPaise", g.currency,
        g.standing
      FROM (
        SELECT w.gateway, w.gateway_payment_id FROM webhook_event w
        WHERE w.status = 'UNMATCHED'
          AND w.source = 'payment' AND w.gateway_payment_id IS NOT NULL
        UNION
        SELECT r.gateway, r.gateway_payment_id FROM gateway_payment r
        WHERE r.learned_at >= ${from}::timestamptz) AS told
      JOIN gateway_payment g USING (gateway, gateway_payment_id)
      WHERE g.status = 'CAPTURED' AND g.standing = 'UNMATCHED'
        AND NOT EXISTS (
          SELECT FROM payment_order p
          WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id)`,
  );

/** The window's payment orders, those first for which we have no capture. */
const listPaymentOrders = (read: Read, from: Date, most: number) =>
  read<PaymentOrderRow>(Prisma.sql`
    SELECT p.id AS "paymentOrderId", p.order_id AS "orderId", p.user_id AS "userId", p.gateway,
      p.gateway_order_id AS "gatewayOrderId", p.status AS "paymentOrderStatus",
      (count(*) OVER ())::int AS total
    FROM payment_order p
    WHERE p.created_at >= ${from}::timestamptz
    ORDER BY p.captured_payment_id IS NOT NULL, p.created_at DESC, p.id DESC
    LIMIT ${most}::int`);

const capturesOf = (payments: readonly GatewayPayment[]) =>
  payments.filter(({ status }) => status === 'CAPTURED');

/** What a gateway has captured for a payment order; a lost gateway order is found by receipt. */
const askGateway = async (
  gateway: PaymentGateway | undefined,
  row: PaymentOrderRow,
): Promise<Asked<readonly GatewayPayment[]>> => {
  if (gateway === undefined) return `there is no adapter of ${row.gateway} to ask with`;
  let { gatewayOrderId } = row;
  if (gatewayOrderId === null) {
    const found = toAsked(gateway.code, await gateway.findOrderByReceipt(row.paymentOrderId), {
      onDone: (order) => order?.gatewayOrderId ?? '',
      onRefused: () => '',
    });
    if (typeof found === 'string') return found;
    gatewayOrderId = found.answer;
  }
  if (gatewayOrderId === '') return { answer: [] };
  return toAsked(gateway.code, await gateway.listPayments(gatewayOrderId), {
    onDone: capturesOf,
    onRefused: () => [],
  });
};

/** With nothing to ask about, whether the gateways could be asked at all. */
const probe = async ({ gateways, limits }: CheckContext): Promise<Findings> => {
  const items = [...gateways.values()];
  const { incomplete } = await askEach({ items, total: items.length }, limits, async (gateway) =>
    toAsked(gateway.code, await gateway.getOrder(nobodysOrder), {
      onDone: () => true,
      onRefused: () => true,
    }),
  );
  return incomplete === undefined ? noFindings : { ...noFindings, incomplete };
};

/** Those that are not booked here, read after the gateway's answer: and no event of it waits. */
const lacking = async (read: Read, captures: readonly Capture[]): Promise<Capture[]> => {
  if (captures.length === 0) return [];
  const rows = await read<{ n: number }>(Prisma.sql`
    SELECT told.n::int AS n
    FROM unnest(${captures.map(({ gateway }) => gateway)}::text[],
      ${captures.map(({ payment }) => payment.gatewayPaymentId)}::text[],
      ${captures.map(({ payment }) => payment.gatewayOrderId)}::text[])
      WITH ORDINALITY AS told (gateway, payment_id, gateway_order_id, n)
    WHERE NOT EXISTS (
        SELECT FROM gateway_payment g
        WHERE g.gateway = told.gateway AND g.gateway_payment_id = told.payment_id
          AND g.status IN ('CAPTURED', 'REFUNDED')
          AND (g.standing <> 'UNMATCHED' OR NOT EXISTS (
            SELECT FROM payment_order p
            WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id)))
      AND NOT EXISTS (
        SELECT FROM webhook_event w
        WHERE w.source = 'payment' AND w.gateway = told.gateway
          AND w.subject = told.gateway_order_id AND w.gateway_payment_id = told.payment_id
          AND w.status IN ('PENDING', 'UNMATCHED'))
    ORDER BY told.n`);
  return rows.flatMap(({ n }) => captures[n - 1] ?? []);
};

const toSample = (capture: Capture): Sample => {
  const { payment, total: _, ...order } = capture;
  return {
    since: payment.createdAt.toISOString(),
    ...order,
    gatewayOrderId: payment.gatewayOrderId,
    gatewayPaymentId: payment.gatewayPaymentId,
    amountPaise: toSafePaise(payment.amountPaise),
    currency: payment.currency,
  };
};

/**
 * Captures that a gateway has and that are booked for no order here: what the gateways say of the
 * window's payment orders, and the signed captures of orders that we don't know. One whose event
 * waits in the inbox for an order that we know is `webhook_backlog`.
 */
export const gatewayCaptureMissing: Check = {
  id: 'gateway_capture_missing',
  title: 'The gateway has a capture that we lack',
  severity: 'critical',
  asks: true,
  async run(context) {
    const { read, from, gateways, limits } = context;
    const strays = await findStrays(read, from);
    const orders = await listPaymentOrders(read, from, limits.most);
    const total = orders[0]?.total ?? 0;
    if (total === 0) return mergeFindings(strays, await probe(context));
    const round = await askEach({ items: orders, total }, limits, (order) =>
      askGateway(gateways.get(order.gateway), order),
    );
    const captures = round.answers.flatMap(({ item, answer }) =>
      answer.map((payment) => ({ ...item, payment })),
    );
    const missing = (await lacking(read, captures)).map(toSample);
    const { incomplete } = round;
    return mergeFindings(strays, {
      count: missing.length,
      samples: missing,
      ...(incomplete !== undefined && { incomplete }),
    });
  },
};
