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

/** Returns an empty list for "not found". Any other refusal means that the rows are unknown. */
const emptyIfNotFound = (code: string) => (code === GATEWAY_NOT_FOUND ? [] : undefined);

/**
 * Fetches a gateway's paid payments of a payment order. If the id of the gateway order was lost, the
 * gateway order is found by its receipt.
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
  /** False if the gateway can't report refunds of this kind of payment. */
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
    onDone: (rows) => rows,
    onRefused: emptyIfNotFound,
  });
  const disputed = toFetched(gateway.code, disputes, {
    onDone: (rows) => rows,
    onRefused: emptyIfNotFound,
  });
  if (typeof refunded === 'string') return refunded;
  if (typeof disputed === 'string') return disputed;
  const reversals: GatewayReversal[] = [];
  const source = { gateway: gateway.code, gatewayPaymentId: payment.gatewayPaymentId };
  const processed = refunded.answer.filter(isRead).filter(({ status }) => status === 'PROCESSED');
  for (const { refundId: reference, amountPaise, createdAt: occurredAt } of processed) {
    reversals.push({ ...source, kind: 'REFUND', reference, amountPaise, occurredAt });
  }
  const lost = disputed.answer.filter(isRead).filter(({ status }) => status === 'LOST');
  for (const { disputeId: reference, amountPaise, createdAt: occurredAt } of lost) {
    reversals.push({ ...source, kind: 'DISPUTE', reference, amountPaise, occurredAt });
  }
  const isPartial = hasUnread(refunded.answer) || hasUnread(disputed.answer);
  return { answer: { reversals, areRefundsReported, isPartial } };
};

/** Fetches the captures of a payment order from a gateway, with their refunds and lost disputes. */
const fetchAtGateway = async (
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

/** The statuses of a payment order after which its gateway's report rarely changes. */
const endStatuses: ReadonlySet<string> = new Set(['PAID', 'FAILED', 'EXPIRED']);

/**
 * Queries the gateways for each payment order that no list covers. Finds captures that are not
 * booked here, and refunds and lost disputes that are not recorded.
 */
export const queryGateways = async (
  context: CheckContext,
  listed: readonly string[],
): Promise<Findings & { readonly total: number }> => {
  const { read, gateways, from } = context;
  // The gateway's list of the window has this capture or reversal, so `listGateway` reports it.
  const isListed = (gateway: string, occurredAt: Date): boolean =>
    listed.includes(gateway) && occurredAt >= from;
  const found: Findings[] = [];
  let unreadReason: string | undefined;
  const { total, incomplete } = await walkRows<PaymentOrderRow, AtGateway>(context, {
    kind: 'PAYMENT_ORDER',
    collaborator: 'payment-gateway',
    list: (request) => listPaymentOrders(context, listed, request),
    keyOf: keyOfPaymentOrder,
    fetchAnswer: (row) => fetchAtGateway(gateways.get(row.gateway), row),
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
      // The other payment orders are still queried. Only a gateway that does not respond ends that.
      unreadReason ??= answers.find(({ answer }) => answer.incomplete !== undefined)?.answer
        .incomplete;
      const reported = new Set(samples.map(({ paymentOrderId }) => paymentOrderId));
      return answers
        .filter(({ item, answer }) => {
          const hasEnded = endStatuses.has(item.paymentOrderStatus);
          return hasEnded && answer.incomplete === undefined && !reported.has(item.paymentOrderId);
        })
        .map(({ item }) => item);
    },
  });
  const reason = incomplete ?? unreadReason;
  return {
    ...mergeFindings(noFindings, ...found, {
      ...noFindings,
      ...(reason !== undefined && { incomplete: reason }),
    }),
    total,
  };
};
