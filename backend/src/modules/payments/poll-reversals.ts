import {
  cannotSay,
  hasAnswered,
  hasUnread,
  isRead,
  type GatewayPaymentRef,
  type PaymentGateway,
} from '../../adapters/payment-gateway/port.ts';
import { addPaise, type Paise } from '../../money/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { type ReversalKind, type PaymentsDeps, gatewayCause } from './payments.types.ts';
import { lockPayableOrder } from '../orders/index.ts';
import { applyReversal, findUnrecordedReversals } from './apply-reversal.ts';
import { findPaymentOrder } from './payment-orders.store.ts';
import {
  claimReversalPoll,
  listReversalPolls,
  listReversals,
  type PolledPayment,
} from './gateway-payments.store.ts';
import { sweepByGateway, type PollResult } from './sweep-by-gateway.ts';

/** A reversal of a payment that the gateway lists as final. */
interface GatewayReversal {
  readonly kind: ReversalKind;
  readonly reference: string;
  readonly amountPaise: Paise;
  readonly occurredAt: Date;
}

/** The reversals of one payment that a gateway lists. */
export interface GatewayReversals {
  /** The processed refunds and lost disputes. */
  readonly completed: readonly GatewayReversal[];
  /** The sum of the refunds that the gateway has not processed yet. */
  readonly pendingPaise: Paise;
  /** The references of all refunds and disputes, in any state. */
  readonly references: readonly string[];
  /**
   * False if the gateway can't report refunds, or lists a refund or dispute that can't be read. The
   * payment may then have reversals that neither this list nor an event shows.
   */
  readonly areAllReported: boolean;
  /** True if the gateway lists a refund or dispute that can't be read. */
  readonly hasUnread: boolean;
}

/** The gateway did not respond ('silent'), or refused the query for this payment ('refused'). */
type NoReversals = 'silent' | 'refused';

const isSilent = (outcome: Outcome<unknown>): boolean =>
  (outcome.kind === 'unknown' && !cannotSay(outcome)) || isUnavailable(outcome);

/** Fetches the reversals of a payment from its gateway. */
export const fetchReversals = async (
  gateway: PaymentGateway,
  payment: GatewayPaymentRef,
): Promise<GatewayReversals | NoReversals> => {
  const [refunded, disputed] = await Promise.all([
    gateway.getRefunds(payment),
    gateway.getDisputes(payment),
  ]);
  if (isSilent(refunded) || isSilent(disputed)) return 'silent';
  const areRefundsReported = !cannotSay(refunded);
  if ((areRefundsReported && !hasAnswered(refunded)) || !hasAnswered(disputed)) return 'refused';
  const listed = {
    refunds: refunded.kind === 'done' ? refunded.value : [],
    disputes: disputed.kind === 'done' ? disputed.value : [],
  };
  const refunds = listed.refunds.filter(isRead);
  const disputes = listed.disputes.filter(isRead);
  const processed = refunds.filter(({ status }) => status === 'PROCESSED');
  const pending = refunds.filter(({ status }) => status === 'PENDING');
  const lost = disputes.filter(({ status }) => status === 'LOST');
  return {
    completed: [
      ...processed.map(({ refundId: reference, amountPaise, createdAt: occurredAt }) => ({
        kind: 'REFUND' as const,
        reference,
        amountPaise,
        occurredAt,
      })),
      ...lost.map(({ disputeId: reference, amountPaise, createdAt: occurredAt }) => ({
        kind: 'DISPUTE' as const,
        reference,
        amountPaise,
        occurredAt,
      })),
    ],
    pendingPaise: addPaise(...pending.map(({ amountPaise }) => amountPaise)),
    references: [
      ...refunds.map(({ refundId }) => refundId),
      ...disputes.map(({ disputeId }) => disputeId),
    ],
    areAllReported: areRefundsReported && !hasUnread(listed.refunds) && !hasUnread(listed.disputes),
    hasUnread: hasUnread(listed.refunds) || hasUnread(listed.disputes),
  };
};

const batchSize = 100;

/** Applies the gateway's reversals that are not recorded yet, each in its own transaction. */
const applyUnrecorded = async (
  deps: PaymentsDeps,
  payment: PolledPayment,
  atGateway: readonly GatewayReversal[],
): Promise<void> => {
  const { db, inTransaction, clock, logger, metrics, portfolios } = deps;
  const { gateway, gatewayPaymentId } = payment;
  const unrecorded = findUnrecordedReversals(atGateway, await listReversals(db, payment));
  if (unrecorded.length === 0) return;
  const target = await findPaymentOrder(db, payment.paymentOrderId);
  invariant(target, `payment order ${payment.paymentOrderId} is there`);
  for (const reversal of unrecorded) {
    const report = { ...reversal, gateway, gatewayPaymentId, learnedAt: clock.now() };
    const cause = gatewayCause('asked_by_janitor', gateway);
    const applied = await inTransaction(async (tx) => {
      await lockPayableOrder(tx, target.orderId);
      // Since the query, an event may have reported this reversal without an id.
      const stillUnrecorded = findUnrecordedReversals(atGateway, await listReversals(tx, payment));
      if (!stillUnrecorded.includes(reversal)) return undefined;
      return applyReversal(deps, tx, target, { report, cause });
    });
    if (applied?.changed !== true) continue;
    metrics.countReversal(gateway, reversal.kind, 'poll');
    const { decision } = applied;
    logger.warn({ paymentId: payment.id, gateway, decision }, 'a reversal was found by polling');
  }
  await portfolios.drop(target.userId);
};

const unreadMessage = 'a gateway lists a refund or dispute of a payment that cannot be read';

/** Polls the gateway for one payment, and applies the reversals that no event reported. */
const pollPayment = async (deps: PaymentsDeps, payment: PolledPayment): Promise<PollResult> => {
  const gateway = deps.gateways.get(payment.gateway);
  if (gateway === undefined) return 'silent';
  const line = { paymentId: payment.id, gateway: payment.gateway };
  try {
    const atGateway = await fetchReversals(gateway, payment);
    if (atGateway === 'silent') return 'silent';
    if (atGateway === 'refused') {
      deps.logger.error(line, 'a gateway refused to report the outcome of a payment');
    } else {
      // Readable rows are applied. A person must look at the others, which are queried again later.
      if (atGateway.hasUnread) deps.logger.error(line, unreadMessage);
      await applyUnrecorded(deps, payment, atGateway.completed);
    }
  } catch (error) {
    deps.logger.error({ ...line, err: describeError(error) }, 'reversals were not applied');
  }
  return 'answered';
};

/**
 * Polls the gateways for reversals of captured payments that no event reported, and applies them as
 * an event would (contract: states > Reversed payments). Works by `sweepByGateway`.
 */
export const pollReversals = (deps: PaymentsDeps, signal: AbortSignal): Promise<void> => {
  const { db, clock } = deps;
  const now = clock.now();
  return sweepByGateway({
    signal,
    limit: batchSize,
    list: (silent) => listReversalPolls(db, { now, limit: batchSize }, silent),
    poll: async (payment) =>
      (await claimReversalPoll(db, payment.id, now)) ? pollPayment(deps, payment) : 'taken',
  });
};
