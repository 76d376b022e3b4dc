import {
  cannotSay,
  GATEWAY_NOT_FOUND,
  hasUnread,
  isRead,
  type GatewayPayment,
  type Listed,
  type PaymentGateway,
} from '../../../../adapters/payment-gateway/port.ts';
import { done } from '../../../../platform/outcome/outcome.ts';
import { toFetched, type Fetched } from '../../fetch-each.ts';
import { mergeFindings, noFindings } from '../../findings.ts';
import type { CheckContext, Findings } from '../../reconciliation.types.ts';
import { walkRows } from '../../walk-rows.ts';
import {
  findUnbooked,
  findUnrecorded,
  keyOfPaymentOrder,
  listPaymentOrders,
  toCaptureSample,
  type GatewayReversal,
  type PaymentOrderRow,
} from './gateway-rows.ts';

/** A gateway's view of one payment order. */
interface AtGateway {
  readonly captures: readonly GatewayPayment[];
  readonly reversals: readonly GatewayReversal[];
  /** The reason why the refunds of some payments could not be read. Absent if all were read. */
  readonly incomplete?: string;
}

interface PaidPayments {
  /**
   * The payments whose money was captured. Some gateways report REFUNDED for a payment that was
   * refunded in full.
   */
  readonly paid: readonly GatewayPayment[];
  /** True if a payment can't be read. */
  readonly isPartial: boolean;
}

const paidOf = (payments: Listed<GatewayPayment>): PaidPayments => ({
  paid: payments
    .filter(isRead)
    .filter(({ status }) => status === 'CAPTURED' || status === 'REFUNDED'),
  isPartial: hasUnread(payments),
});

const nothingPaid: PaidPayments = { paid: [], isPartial: false };

/** Reads "no such order" or payment as nothing. Any other refusal leaves the question open. */
const noneWhereNotFound = (code: string) => (code === GATEWAY_NOT_FOUND ? [] : undefined);

/**
 * Fetches a gateway's paid payments of a payment order. A lost gateway order is found by receipt.
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
  /** False if the gateway can't report its refunds of such a payment. */
  readonly areRefundsReported: boolean;
  /** True if a refund or dispute can't be read. */
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
  const of = { gateway: gateway.code, gatewayPaymentId: payment.gatewayPaymentId };
  const processed = refunded.answer.filter(isRead).filter(({ status }) => status === 'PROCESSED');
  for (const { refundId: reference, amountPaise, createdAt: occurredAt } of processed) {
    reversals.push({ ...of, kind: 'REFUND', reference, amountPaise, occurredAt });
  }
  const taken = lost.answer.filter(isRead).filter(({ status }) => status === 'LOST');
  for (const { disputeId: reference, amountPaise, createdAt: occurredAt } of taken) {
    reversals.push({ ...of, kind: 'DISPUTE', reference, amountPaise, occurredAt });
  }
  const isPartial = hasUnread(refunded.answer) || hasUnread(lost.answer);
  return { answer: { reversals, areRefundsReported, isPartial } };
};

/** Fetches the captures of a payment order from a gateway, with their refunds and lost disputes. */
const fetchAll = async (
  gateway: PaymentGateway | undefined,
  row: PaymentOrderRow,
): Promise<Fetched<AtGateway>> => {
  if (gateway === undefined) return `there is no adapter for ${row.gateway}`;
  const paid = await fetchPaid(gateway, row);
  if (typeof paid === 'string') return paid;
  const reversals: GatewayReversal[] = [];
  let areAllReported = true;
  let { isPartial } = paid.answer;
  for (const payment of paid.answer.paid) {
    const found = await fetchReversals(gateway, payment);
    if (typeof found === 'string') return found;
    reversals.push(...found.answer.reversals);
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

/** Final statuses of a payment order, after which its gateway's report hardly changes. */
const overStatuses: ReadonlySet<string> = new Set(['PAID', 'FAILED', 'EXPIRED']);

/**
 * Queries the gateways for each payment order that no list covers, and returns the payments that
 * they have and we lack.
 */
export const askGateways = async (
  context: CheckContext,
  listed: readonly string[],
): Promise<Findings & { readonly total: number }> => {
  const { read, gateways, from } = context;
  // A row of the list of the window is found there, and once.
  const isListed = (gateway: string, at: Date): boolean => listed.includes(gateway) && at >= from;
  const found: Findings[] = [];
  let unreported: string | undefined;
  const { total, incomplete } = await walkRows<PaymentOrderRow, AtGateway>(context, {
    kind: 'PAYMENT_ORDER',
    collaborator: 'payment-gateway',
    list: (request) => listPaymentOrders(context, listed, request),
    keyOf: keyOfPaymentOrder,
    fetchAnswer: (row) => fetchAll(gateways.get(row.gateway), row),
    async judge(answers) {
      const captures = answers.flatMap(({ item, answer }) =>
        answer.captures
          .filter(({ createdAt }) => !isListed(item.gateway, createdAt))
          .map((payment) => ({ gateway: item.gateway, payment, owner: item })),
      );
      const reversals = answers
        .flatMap(({ answer }) => answer.reversals)
        .filter(({ gateway, occurredAt }) => !isListed(gateway, occurredAt));
      const unbooked = await findUnbooked(read, captures);
      const samples = [
        ...unbooked.map((capture) => toCaptureSample(capture, capture.owner)),
        ...(await findUnrecorded(read, reversals)),
      ];
      found.push({ count: samples.length, samples });
      // It does not end the questions about the others, as a gateway without an answer does.
      unreported ??= answers.find(({ answer }) => answer.incomplete !== undefined)?.answer
        .incomplete;
      const wrong = new Set(samples.map(({ paymentOrderId }) => paymentOrderId));
      return answers
        .filter(({ item, answer }) => {
          const isOver = overStatuses.has(item.paymentOrderStatus);
          return isOver && answer.incomplete === undefined && !wrong.has(item.paymentOrderId);
        })
        .map(({ item }) => item);
    },
  });
  const reason = incomplete ?? unreported;
  return {
    ...mergeFindings(noFindings, ...found, {
      ...noFindings,
      ...(reason !== undefined && { incomplete: reason }),
    }),
    total,
  };
};
