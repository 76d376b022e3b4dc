import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { formatRupees } from '../../money/index.ts';
import { lockSale, transitionSale, type SaleOrder } from '../orders/index.ts';
import { findFundAccountId } from '../banking/index.ts';
import type { Notify } from '../notifications/index.ts';
import { findAttempt, markContradicted, recordAttemptOutcome } from './payout-attempts.store.ts';
import { lockPayout, updateProviderPayoutId } from './payouts.store.ts';
import {
  transitionPayout,
  isOpenAttempt,
  reportVerdicts,
  type ReportVerdict,
} from './payouts.states.ts';
import type { AttemptReport, Payout, PayoutAttempt, PayoutsDeps } from './payouts.types.ts';

type RecordDeps = Pick<PayoutsDeps, 'clock' | 'logger' | 'notify' | 'provider' | 'random'>;

const defaultReasons = {
  FAILED: 'The payout provider did not pay, and gave no reason.',
  REVERSED: 'The money came back, and the payout provider gave no reason.',
} as const;

/** A report with its attempt, the locked payout, and the sale if the report may change the sale. */
interface ReportedAttempt {
  readonly attempt: PayoutAttempt;
  readonly payout: Payout;
  readonly sale: SaleOrder | undefined;
  readonly report: AttemptReport;
  /** The cause and the actor of the transitions of the payout and the sale. */
  readonly origin: { readonly cause: string; readonly actor: string; readonly requestId?: string };
}

/** Locks the sale if the report may change it, then locks the payout, then reads the attempt. */
const lockReported = async (
  tx: Db,
  attemptId: string,
  report: AttemptReport,
  origin: ReportedAttempt['origin'],
): Promise<ReportedAttempt> => {
  const found = await findAttempt(tx, attemptId);
  invariant(found, `the reported payout attempt ${attemptId} exists`);
  const mayChangeSale = report.status === 'PAID' || report.status === 'REVERSED';
  const sale = mayChangeSale ? await lockSale(tx, found.orderId) : undefined;
  const payout = await lockPayout(tx, found.payoutId);
  // The attempt is read again, because no other transaction can change it under the payout's lock.
  const attempt = await findAttempt(tx, attemptId);
  invariant(
    payout !== undefined && attempt !== undefined,
    'a payout and its attempts are never deleted',
  );
  return { attempt, payout, sale, report, origin };
};

/**
 * Compares the report with the request. The error rolls back the transaction, so nothing of a wrong
 * report is recorded.
 * @throws an error if the provider reports another payout than was requested
 */
const requireSamePayout = async (
  tx: Db,
  { attempt, payout, report }: ReportedAttempt,
): Promise<void> => {
  const { amountPaise, providerPayoutId, fundAccountId } = report;
  if (amountPaise !== undefined && amountPaise !== payout.amountPaise) {
    throw new Error(`the provider reports another amount for payout ${payout.id}`);
  }
  if (attempt.providerPayoutId !== null && attempt.providerPayoutId !== providerPayoutId) {
    throw new Error(`the provider reports two payouts of attempt ${attempt.idempotencyKey}`);
  }
  if (
    fundAccountId !== undefined &&
    fundAccountId !== (await findFundAccountId(tx, attempt.bankAccountId))
  ) {
    throw new Error(`the provider reports another fund account for payout ${payout.id}`);
  }
  const isNewest = attempt.attemptNo === payout.attempt;
  invariant(isNewest, `the open attempt ${attempt.idempotencyKey} is the payout's newest`);
};

const recordPaid = async (deps: RecordDeps, tx: Db, reported: ReportedAttempt): Promise<void> => {
  const { payout, report, sale, origin } = reported;
  const { providerPayoutId, utr = null } = report;
  const now = deps.clock.now();
  const changes = { providerPayoutId, utr, failureReason: null, paidAt: now };
  await transitionPayout(deps, tx, payout, { ...origin, to: 'PAID', now, changes });
  if (sale !== undefined && sale.status !== 'COMPLETED') {
    invariant(sale.status === 'CONFIRMED', `the sale ${sale.id} is confirmed when it is paid`);
    await transitionSale(deps, tx, sale, { ...origin, to: 'COMPLETED' });
  }
  await notifyPaid(tx, deps.notify, payout);
};

const recordNotPaid = async (
  deps: RecordDeps,
  tx: Db,
  { payout, report, sale, origin }: ReportedAttempt,
  status: 'FAILED' | 'REVERSED',
): Promise<void> => {
  const { providerPayoutId, failureReason = defaultReasons[status] } = report;
  const changes = { providerPayoutId, failureReason, paidAt: null };
  await transitionPayout(deps, tx, payout, {
    ...origin,
    to: status,
    now: deps.clock.now(),
    changes,
  });
  if (sale?.status === 'COMPLETED') {
    await transitionSale(deps, tx, sale, { ...origin, to: 'CONFIRMED' });
  }
  await notifyNotPaid(tx, deps.notify, payout);
};

const applyVerdict = async (
  deps: RecordDeps,
  tx: Db,
  reported: ReportedAttempt,
  verdict: Exclude<ReportVerdict, 'STALE' | 'CONTRADICTION'>,
): Promise<void> => {
  const { attempt, payout, report } = reported;
  const { providerPayoutId, utr, failureReason } = report;
  const now = deps.clock.now();
  const outcome = { status: verdict, providerPayoutId, utr, failureReason, now };
  await recordAttemptOutcome(tx, attempt.id, outcome);
  if (verdict === 'PAID') return recordPaid(deps, tx, reported);
  if (verdict !== 'PROCESSING') return recordNotPaid(deps, tx, reported, verdict);
  return updateProviderPayoutId(tx, payout.id, { providerPayoutId, now });
};

/**
 * Records the provider's report of an attempt in the caller's transaction, which has not locked the
 * sale or the payout yet. The attempt, the payout and the sale change together. Returns `IGNORED` if
 * the report changes nothing.
 * @throws an error if the report can't be of this attempt. The inbox then keeps the event and retries
 *   it.
 */
export const recordAttemptReport = async (
  deps: RecordDeps,
  tx: Db,
  attemptId: string,
  input: { readonly report: AttemptReport; readonly cause: string; readonly requestId?: string },
): Promise<'APPLIED' | 'IGNORED'> => {
  const { report, ...causeFields } = input;
  const origin = { ...causeFields, actor: `payout-provider:${deps.provider.code}` };
  const locked = await lockReported(tx, attemptId, report, origin);
  const { attempt, payout } = locked;
  const fields = { payoutId: payout.id, attempt: attempt.attemptNo, from: attempt.status };
  const verdict = reportVerdicts[attempt.status][report.status];
  if (verdict === 'CONTRADICTION') {
    deps.logger.error(
      { ...fields, reported: report.status, cause: origin.cause },
      'the payout provider contradicts itself',
    );
    await markContradicted(tx, attempt.id, deps.clock.now());
  }
  if (verdict === 'CONTRADICTION' || verdict === 'STALE') return 'IGNORED';
  await requireSamePayout(tx, locked);
  await applyVerdict(deps, tx, locked, verdict);
  deps.logger.info(
    { ...fields, to: verdict, cause: origin.cause },
    'payout attempt changed status',
  );
  return 'APPLIED';
};

/**
 * Records that an attempt was not paid and can't be paid any more. The attempt becomes REFUSED and
 * the payout FAILED. Does nothing if `holderId` no longer holds the attempt, because another worker may
 * be sending it.
 */
export const recordAttemptRefusal = async (
  deps: Pick<RecordDeps, 'clock' | 'logger' | 'notify'>,
  tx: Db,
  attemptId: string,
  { reason, holderId }: { readonly reason: string; readonly holderId?: string },
): Promise<void> => {
  const found = await findAttempt(tx, attemptId);
  if (found === undefined) return;
  const payout = await lockPayout(tx, found.payoutId);
  const attempt = await findAttempt(tx, attemptId);
  if (payout === undefined || attempt === undefined) return;
  // The provider may have reported the attempt in the meantime.
  if (!isOpenAttempt(attempt.status) || attempt.providerPayoutId !== null) return;
  if (holderId !== undefined && attempt.holderId !== holderId) return;
  const now = deps.clock.now();
  await recordAttemptOutcome(tx, attemptId, { status: 'REFUSED', failureReason: reason, now });
  await transitionPayout(deps, tx, payout, {
    to: 'FAILED',
    actor: 'service',
    cause: 'attempt.refused',
    now,
    changes: { failureReason: reason, paidAt: null },
  });
  await notifyNotPaid(tx, deps.notify, payout);
  deps.logger.warn({ payoutId: payout.id, attempt: attempt.attemptNo }, 'payout attempt refused');
};

const dataOf = ({ id, orderId }: Payout) => ({ payoutId: id, orderId });

const accountOf = ({ accountLast4 }: Payout): string => `bank account ending in ${accountLast4}`;

/** Notifies the customer that the money was paid. */
const notifyPaid = (tx: Db, notify: Notify, payout: Payout): Promise<void> =>
  notify(tx, {
    userId: payout.userId,
    type: 'payout_paid',
    title: 'Your money was paid out',
    body:
      `INR ${formatRupees(payout.amountPaise)} from your gold sale was paid to your ` +
      `${accountOf(payout)}.`,
    data: dataOf(payout),
    dedupeKey: `payout_paid:${payout.id}:${payout.attempt}`,
  });

/**
 * Notifies the customer that the money was not paid, or was returned by the bank. The message leaves
 * out the reason, which is for operators.
 */
const notifyNotPaid = (tx: Db, notify: Notify, payout: Payout): Promise<void> =>
  notify(tx, {
    userId: payout.userId,
    type: 'payout_failed',
    title: 'Your payout did not go through',
    body:
      `INR ${formatRupees(payout.amountPaise)} could not be paid to your ${accountOf(payout)}. ` +
      'The money is still yours, and we are working on paying it. You need not do anything.',
    data: dataOf(payout),
    dedupeKey: `payout_failed:${payout.id}:${payout.attempt}`,
  });
