import type { GatewayPayment, PaymentGateway } from '../../../adapters/payment-gateway/port.ts';
import { toSafePaise } from '../../../money/index.ts';
import { askEach, toAsked, type Asked } from '../ask-each.ts';
import { mergeFindings, noFindings } from '../merge-findings.ts';
import type { Check, CheckContext, Findings, Sample } from '../reconciliation.types.ts';
import { findStrays, lacking, listPaymentOrders } from './gateway-captures.rows.ts';
import type { Capture, PaymentOrderRow } from './gateway-captures.rows.ts';

/** A gateway's order that can't be: "there is none" is an answer. */
const nobodysOrder = 'reconciliation-check';

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
