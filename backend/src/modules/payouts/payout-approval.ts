import { paise, type Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import { findPayout, lockPayout, markPayoutApproved } from './payouts.store.ts';
import type { Payout, PayoutsDeps } from './payouts.types.ts';
import { dispatchJob } from './payouts.jobs.ts';
import { startAttempt } from './dispatch-payout.ts';

/**
 * The cap, INR 100,000. Payouts up to the cap need no approval, and an ADMIN may approve them
 * (contract: payouts > Payout cap).
 */
const payoutCapPaise: Paise = paise(10_000_000n);

/** Returns true if a payout of this amount is sent only after an operator's approval. */
export const needsApproval = (amountPaise: Paise): boolean => amountPaise > payoutCapPaise;

/** @throws AppError PAYOUT_CAP_EXCEEDED if the amount is above the caller's cap */
export const requireWithinCap = (
  { role }: Pick<AdminPrincipal, 'role'>,
  amountPaise: Paise,
): void => {
  if (role === 'SUPER_ADMIN' || amountPaise <= payoutCapPaise) return;
  throw new AppError('PAYOUT_CAP_EXCEEDED');
};

/**
 * Locks a payout for an operator. Checks the cap before every other refusal, so that a refusal
 * discloses nothing about the payout.
 * @throws AppError NOT_FOUND, PAYOUT_CAP_EXCEEDED
 */
export const lockPayoutWithinCap = async (
  tx: Db,
  payoutId: string,
  principal: AdminPrincipal,
): Promise<Payout> => {
  const payout = await lockPayout(tx, payoutId);
  if (payout === undefined) throw new AppError('NOT_FOUND');
  requireWithinCap(principal, payout.amountPaise);
  return payout;
};

/** The operator who changes a payout, with the context of the request. The audit row names both. */
export interface Operator {
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

const auditedFields = ({ status, attempt, bankAccountId, approvedBy }: Payout) => ({
  status,
  attempt,
  bankAccountId,
  approvedBy,
});

/** Writes the audit row of an operator's change to a payout, and returns the changed payout. */
export const auditPayout = async (
  { audit }: Pick<PayoutsDeps, 'audit'>,
  tx: Db,
  { principal, context }: Operator,
  {
    action,
    before,
    note,
  }: {
    readonly action: 'payout.approve' | 'payout.retry';
    readonly before: Payout;
    readonly note?: string | undefined;
  },
): Promise<Payout> => {
  const after = await findPayout(tx, before.id);
  invariant(after, 'a locked payout exists');
  await audit.record(tx, {
    ...adminActor(principal, context),
    action,
    target: { type: 'payout', id: before.id },
    before: auditedFields(before),
    after: auditedFields(after),
    ...(note !== undefined && { sealed: { after: { note } }, sealedFor: before.userId }),
  });
  return after;
};

/**
 * Approves a PENDING payout. It becomes PROCESSING and the worker sends it. Of two concurrent
 * approvals, the second fails with ILLEGAL_TRANSITION.
 * @throws AppError NOT_FOUND, PAYOUT_CAP_EXCEEDED, ILLEGAL_TRANSITION
 */
export const approvePayout = (
  deps: PayoutsDeps,
  payoutId: string,
  operator: Operator,
): Promise<Payout> =>
  deps.inTransaction(async (tx) => {
    const { adminId } = operator.principal;
    const payout = await lockPayoutWithinCap(tx, payoutId, operator.principal);
    if (payout.status !== 'PENDING' || payout.approvedAt !== null) {
      throw new AppError('ILLEGAL_TRANSITION', { details: { status: payout.status } });
    }
    await markPayoutApproved(tx, payoutId, { approvedBy: adminId, now: deps.clock.now() });
    await startAttempt(deps, tx, payout, `admin:${adminId}`);
    await enqueue(tx, dispatchJob(payoutId));
    return auditPayout(deps, tx, operator, { action: 'payout.approve', before: payout });
  });
