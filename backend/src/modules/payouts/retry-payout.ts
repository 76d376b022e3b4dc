import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { lockPayoutAccount, lockUsableAccount } from '../banking/index.ts';
import { auditPayout, lockWithinCap, requireWithinCap, type Operator } from './payout-approval.ts';
import { hasContradiction, listAttempts, markContradicted } from './payout-attempts.store.ts';
import { findPayout } from './payouts.store.ts';
import { findAccountHold, type HoldDeps } from './payout-holds.ts';
import { transitionPayout, reportVerdicts } from './payouts.states.ts';
import { dispatchJob } from './payouts.jobs.ts';
import type { RetryRequest } from './payouts.schemas.ts';
import type { Payout, PayoutAttempt, PayoutsDeps } from './payouts.types.ts';

const isRetryable = ({ status }: Payout): boolean => status === 'FAILED' || status === 'REVERSED';

const notRetryable = ({ status }: Payout): AppError =>
  new AppError('ILLEGAL_TRANSITION', { details: { status } });

/**
 * Locks the account that a retry pays to until the transaction ends: the account `chosenId`, or the
 * account of the earlier attempt.
 * @throws AppError BANK_ACCOUNT_NOT_VERIFIED, and NOT_FOUND if the account is not the customer's
 */
const lockAccountForRetry = async (
  tx: Db,
  payout: Payout,
  chosenId: string | undefined,
): Promise<string> => {
  if (chosenId !== undefined) {
    return (await lockUsableAccount(tx, payout.userId, chosenId, 'bankAccountId')).id;
  }
  const standing = await lockPayoutAccount(tx, payout.bankAccountId);
  if (standing?.isUsable === true) return payout.bankAccountId;
  throw new AppError('BANK_ACCOUNT_NOT_VERIFIED', { field: 'bankAccountId' });
};

/** @throws AppError OUTCOME_UNDECIDED, and SERVICE_UNAVAILABLE if the provider does not respond */
const requireUnpaidAttempt = async (
  { db, provider, clock }: PayoutsDeps,
  attempt: PayoutAttempt,
): Promise<void> => {
  const found =
    attempt.providerPayoutId === null
      ? await provider.findPayoutByReference(attempt.idempotencyKey)
      : await provider.getPayout(attempt.providerPayoutId);
  if (found.kind !== 'done') {
    throw new AppError('SERVICE_UNAVAILABLE', {
      message:
        'The payout provider did not report the outcome of an earlier attempt. Nothing was sent. Try again.',
    });
  }
  const status = found.value?.status;
  if (status !== 'PAID' && status !== 'PROCESSING') return;
  if (reportVerdicts[attempt.status][status] === 'CONTRADICTION') {
    await markContradicted(db, attempt.id, clock.now());
  }
  throw new AppError('OUTCOME_UNDECIDED', {
    message:
      'The payout provider reports an earlier attempt as paid or in progress. Nothing was sent.',
  });
};

/**
 * Queries the provider about every earlier attempt. A payout has one live attempt at a time
 * (`payout_attempt_live_key`), so every earlier attempt was decided as not paid. If the provider
 * now reports any of them as paid, a further attempt would pay twice. A missing response does not
 * count as "not paid" (contract: states > Payout).
 * @throws AppError OUTCOME_UNDECIDED, and SERVICE_UNAVAILABLE if the provider does not respond
 */
const requireNotPaid = async (deps: PayoutsDeps, payoutId: string): Promise<void> => {
  for (const attempt of await listAttempts(deps.db, payoutId)) {
    await requireUnpaidAttempt(deps, attempt);
  }
};

/**
 * Requires a SUPER_ADMIN and a note if the provider contradicted itself about the payout (contract:
 * payouts > Payout retry).
 * @throws AppError FORBIDDEN, and VALIDATION_FAILED without a note
 */
const requireTrusted = async (
  db: Db,
  payoutId: string,
  { principal }: Operator,
  note: string | undefined,
): Promise<void> => {
  if (!(await hasContradiction(db, payoutId))) return;
  if (principal.role !== 'SUPER_ADMIN') throw new AppError('FORBIDDEN');
  if (note !== undefined) return;
  throw new AppError('VALIDATION_FAILED', {
    message:
      'The payout provider has contradicted itself. Add a note that says why a retry is safe.',
    field: 'note',
  });
};

/**
 * Returns the columns that decide whether a retry waits or is sent. A retry to another account is
 * checked like a new payout to it: if the account is held, the retry waits for an approval, and the
 * operator sees the hold. The daily holds were checked when the payout was written.
 */
const standingOf = async (
  deps: RetryDeps,
  tx: Db,
  { bankAccountId: earlierId }: Payout,
  { bankAccountId, adminId, at }: { bankAccountId: string; adminId: string; at: Date },
) => {
  const approved = { approvedBy: adminId, approvedAt: at };
  if (bankAccountId === earlierId) return approved;
  const hold = await findAccountHold(deps, tx, bankAccountId);
  if (hold === undefined) return approved;
  return { approvalRequired: true, hold, approvedBy: null, approvedAt: null };
};

export type RetryDeps = PayoutsDeps & HoldDeps;

/**
 * Retries a FAILED or REVERSED payout. It becomes PENDING with the caller's approval, and the
 * worker sends it as a new attempt. If it goes to another account whose payouts are held, it waits
 * for an approval instead. Of two concurrent retries, the second fails with ILLEGAL_TRANSITION.
 * @throws AppError NOT_FOUND, PAYOUT_CAP_EXCEEDED, ILLEGAL_TRANSITION, FORBIDDEN,
 *   VALIDATION_FAILED, OUTCOME_UNDECIDED, SERVICE_UNAVAILABLE, BANK_ACCOUNT_NOT_VERIFIED
 */
export const retryPayout = async (
  deps: RetryDeps,
  payoutId: string,
  operator: Operator,
  { bankAccountId: chosenAccountId, note }: RetryRequest,
): Promise<Payout> => {
  const { principal } = operator;
  const seen = await findPayout(deps.db, payoutId);
  if (seen === undefined) throw new AppError('NOT_FOUND');
  requireWithinCap(principal, seen.amountPaise);
  if (!isRetryable(seen)) throw notRetryable(seen);
  await requireTrusted(deps.db, payoutId, operator, note);
  await requireNotPaid(deps, payoutId);
  return deps.inTransaction(async (tx) => {
    const payout = await lockWithinCap(tx, payoutId, principal);
    const isSame = payout.attempt === seen.attempt && isRetryable(payout);
    if (!isSame) throw notRetryable(payout);
    await requireTrusted(tx, payoutId, operator, note);
    const bankAccountId = await lockAccountForRetry(tx, payout, chosenAccountId);
    const at = deps.clock.now();
    const { adminId } = principal;
    const standing = await standingOf(deps, tx, payout, { bankAccountId, adminId, at });
    await transitionPayout(deps, tx, payout, {
      to: 'PENDING',
      actor: `admin:${adminId}`,
      cause: 'payout.retried',
      at,
      changes: {
        bankAccountId,
        ...standing,
        providerPayoutId: null,
        utr: null,
        failureReason: null,
        paidAt: null,
      },
    });
    if (standing.approvedAt !== null) await enqueue(tx, dispatchJob(payoutId));
    return auditPayout(deps, tx, operator, { action: 'payout.retry', before: payout, note });
  });
};
