import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { lockPayoutAccount, lockUsableAccount } from '../banking/index.ts';
import {
  auditPayout,
  lockPayoutWithinCap,
  requireWithinCap,
  type Operator,
} from './payout-approval.ts';
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
 * Locks the bank account of a retry until the transaction ends, and returns its id. It is the account
 * `chosenId`, or the account of the earlier attempt if `chosenId` is undefined.
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
  const account = await lockPayoutAccount(tx, payout.bankAccountId);
  if (account?.isUsable === true) return payout.bankAccountId;
  throw new AppError('BANK_ACCOUNT_NOT_VERIFIED', { field: 'bankAccountId' });
};

/**
 * Queries the provider about one earlier attempt.
 * @throws AppError OUTCOME_UNDECIDED if the attempt is paid or in progress, and SERVICE_UNAVAILABLE
 *   if the provider does not respond
 */
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
 * (`payout_attempt_live_key`), so our records say that no earlier attempt was paid. If the provider now
 * reports an attempt as paid, a further attempt would pay twice. A missing response does not count as
 * "not paid" (contract: states > Payout).
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
const requireSafeToRetry = async (
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
 * Returns the approval columns of a retried payout, which decide whether the payout waits or is sent.
 * A retry to another account is checked like a new payout to that account. If payouts to the account
 * are held, the retry waits for an approval, and the operator sees the hold. The daily holds were
 * checked when the payout was inserted.
 */
const approvalColumnsOf = async (
  deps: RetryDeps,
  tx: Db,
  { bankAccountId: earlierId }: Payout,
  { bankAccountId, adminId, now }: { bankAccountId: string; adminId: string; now: Date },
) => {
  const approval = { approvedBy: adminId, approvedAt: now };
  if (bankAccountId === earlierId) return approval;
  const hold = await findAccountHold(deps, tx, bankAccountId);
  if (hold === undefined) return approval;
  return { approvalRequired: true, hold, approvedBy: null, approvedAt: null };
};

export type RetryDeps = PayoutsDeps & HoldDeps;

/**
 * Retries a FAILED or REVERSED payout. The payout becomes PENDING with the caller's approval, and the
 * worker sends it as a new attempt. If the retry names another account and payouts to that account are
 * held, the payout waits for an approval instead. Of two concurrent retries, the second fails with
 * ILLEGAL_TRANSITION.
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
  const unlocked = await findPayout(deps.db, payoutId);
  if (unlocked === undefined) throw new AppError('NOT_FOUND');
  requireWithinCap(principal, unlocked.amountPaise);
  if (!isRetryable(unlocked)) throw notRetryable(unlocked);
  await requireSafeToRetry(deps.db, payoutId, operator, note);
  await requireNotPaid(deps, payoutId);
  return deps.inTransaction(async (tx) => {
    const payout = await lockPayoutWithinCap(tx, payoutId, principal);
    const isUnchanged = payout.attempt === unlocked.attempt && isRetryable(payout);
    if (!isUnchanged) throw notRetryable(payout);
    await requireSafeToRetry(tx, payoutId, operator, note);
    const bankAccountId = await lockAccountForRetry(tx, payout, chosenAccountId);
    const now = deps.clock.now();
    const { adminId } = principal;
    const approval = await approvalColumnsOf(deps, tx, payout, { bankAccountId, adminId, now });
    await transitionPayout(deps, tx, payout, {
      to: 'PENDING',
      actor: `admin:${adminId}`,
      cause: 'payout.retried',
      now,
      changes: {
        bankAccountId,
        ...approval,
        providerPayoutId: null,
        utr: null,
        failureReason: null,
        paidAt: null,
      },
    });
    if (approval.approvedAt !== null) await enqueue(tx, dispatchJob(payoutId));
    return auditPayout(deps, tx, operator, { action: 'payout.retry', before: payout, note });
  });
};
