import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import { lockUsableAccount } from '../banking/index.ts';
import { dispatchJob } from './dispatch-job.ts';
import { createPayoutAttemptStore } from './payout-attempt.store.ts';
import { requireWithinCap } from './payout-caps.ts';
import { createPayoutStore } from './payout.store.ts';
import type { PayoutsDeps } from './payouts.deps.ts';
import type { Payout, PayoutAttempt } from './payouts.types.ts';
import type { StartAttempt } from './start-attempt.ts';

type LetGoDeps = PayoutsDeps & { readonly startAttempt: StartAttempt };

/** The operator, and the request, for the audit row. */
export interface Operator {
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

const stateOf = ({ status, attempt, bankAccountId, approvedBy }: Payout) => ({
  status,
  attempt,
  bankAccountId,
  approvedBy,
});

/** Nothing that is read here before the cap is shown: a refusal changes and tells nothing. */
const lockWithinCap = async (
  tx: Db,
  payoutId: string,
  principal: AdminPrincipal,
): Promise<Payout> => {
  const payout = await createPayoutStore(tx).lock(payoutId);
  if (payout === undefined) throw new AppError('NOT_FOUND');
  requireWithinCap(principal, payout.amountPaise);
  return payout;
};

const isRetryable = ({ status }: Payout): boolean => status === 'FAILED' || status === 'REVERSED';

/**
 * The account of a retry, held until it is written.
 * @throws AppError BANK_ACCOUNT_NOT_VERIFIED; NOT_FOUND for one that is not the customer's
 */
const accountForRetry = async (
  tx: Db,
  payout: Payout,
  banking: PayoutsDeps['banking'],
  named: string | undefined,
): Promise<string> => {
  if (named !== undefined) {
    return (await lockUsableAccount(tx, payout.userId, named, 'bankAccountId')).id;
  }
  const standing = await banking.lockStanding(tx, payout.bankAccountId);
  if (standing?.isUsable === true) return payout.bankAccountId;
  throw new AppError('BANK_ACCOUNT_NOT_VERIFIED', { field: 'bankAccountId' });
};

/** What operators do to payouts. Two at once have one effect: the second finds it elsewhere. */
export const createLetPayoutGo = (deps: LetGoDeps) => {
  const { db, inTransaction, clock, provider, audit, banking, startAttempt } = deps;

  const record = async (
    tx: Db,
    { principal, context }: Operator,
    action: 'payout.approve' | 'payout.retry',
    before: Payout,
  ): Promise<Payout> => {
    const after = await createPayoutStore(tx).find(before.id);
    if (after === undefined) throw new Error('a payout vanished');
    await audit.record(tx, {
      ...adminActor(principal, context),
      action,
      target: { type: 'payout', id: before.id },
      before: stateOf(before),
      after: stateOf(after),
    });
    return after;
  };

  const askAbout = (attempt: PayoutAttempt) =>
    attempt.providerPayoutId === null
      ? provider.findPayoutByReference(attempt.idempotencyKey)
      : provider.getPayout(attempt.providerPayoutId);

  /**
   * The earlier attempt certainly was not paid: we have the provider's word. Should it have
   * changed its mind, a further attempt would pay twice.
   * @throws AppError OUTCOME_UNDECIDED
   */
  const requireNotPaid = async (payoutId: string): Promise<void> => {
    const attempt = await createPayoutAttemptStore(db).newest(payoutId);
    if (attempt === undefined) return;
    const found = await askAbout(attempt);
    const says = found.kind === 'done' ? found.value?.status : undefined;
    if (says !== 'PAID' && says !== 'PROCESSING') return;
    throw new AppError('OUTCOME_UNDECIDED', {
      message: 'The payout provider has the earlier attempt as paid, or on its way.',
    });
  };

  return {
    /**
     * PENDING -> PROCESSING; the worker sends it.
     * @throws AppError NOT_FOUND, PAYOUT_CAP_EXCEEDED, ILLEGAL_TRANSITION
     */
    approve: (payoutId: string, operator: Operator): Promise<Payout> =>
      inTransaction(async (tx) => {
        const payout = await lockWithinCap(tx, payoutId, operator.principal);
        if (payout.status !== 'PENDING' || payout.approvedAt !== null) {
          throw new AppError('ILLEGAL_TRANSITION');
        }
        await createPayoutStore(tx).approve(payoutId, operator.principal.adminId, clock.now());
        await startAttempt(tx, payout, { isSending: false });
        await enqueue(tx, dispatchJob(payoutId));
        return record(tx, operator, 'payout.approve', payout);
      }),

    /**
     * FAILED or REVERSED -> PENDING, approved by the caller; the worker sends it, as a new attempt.
     * @throws AppError NOT_FOUND, PAYOUT_CAP_EXCEEDED, ILLEGAL_TRANSITION, OUTCOME_UNDECIDED,
     *   BANK_ACCOUNT_NOT_VERIFIED
     */
    async retry(payoutId: string, operator: Operator, named: string | undefined): Promise<Payout> {
      const { principal } = operator;
      const seen = await createPayoutStore(db).find(payoutId);
      if (seen === undefined) throw new AppError('NOT_FOUND');
      requireWithinCap(principal, seen.amountPaise);
      if (!isRetryable(seen)) throw new AppError('ILLEGAL_TRANSITION');
      await requireNotPaid(payoutId);
      return inTransaction(async (tx) => {
        const payout = await lockWithinCap(tx, payoutId, principal);
        const isSame = payout.attempt === seen.attempt && isRetryable(payout);
        if (!isSame) throw new AppError('ILLEGAL_TRANSITION');
        const bankAccountId = await accountForRetry(tx, payout, banking, named);
        const retry = { bankAccountId, approvedBy: principal.adminId, at: clock.now() };
        const isReopened = await createPayoutStore(tx).reopen(payoutId, retry);
        if (!isReopened) throw new AppError('ILLEGAL_TRANSITION');
        await enqueue(tx, dispatchJob(payoutId));
        return record(tx, operator, 'payout.retry', payout);
      });
    },
  };
};

export type LetPayoutGo = ReturnType<typeof createLetPayoutGo>;
