import { AppError } from '../../platform/errors/app-error.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { auditPayout, lockWithinCap, type Operator } from './payout-approval.ts';
import { approvePayoutRow } from './payout.store.ts';
import { dispatchJob } from './payouts.jobs.ts';
import type { Payout, PayoutsDeps } from './payouts.types.ts';
import { startAttempt } from './start-attempt.ts';

/**
 * Approves a PENDING payout: PROCESSING, and the worker sends it. Of two approvals at once the
 * second finds it approved.
 * @throws AppError NOT_FOUND, PAYOUT_CAP_EXCEEDED, ILLEGAL_TRANSITION
 */
export const approvePayout = (
  deps: PayoutsDeps,
  payoutId: string,
  operator: Operator,
): Promise<Payout> =>
  deps.inTransaction(async (tx) => {
    const { adminId } = operator.principal;
    const payout = await lockWithinCap(tx, payoutId, operator.principal);
    if (payout.status !== 'PENDING' || payout.approvedAt !== null) {
      throw new AppError('ILLEGAL_TRANSITION', { details: { status: payout.status } });
    }
    await approvePayoutRow(tx, payoutId, { approvedBy: adminId, at: deps.clock.now() });
    await startAttempt(deps, tx, payout, `admin:${adminId}`);
    await enqueue(tx, dispatchJob(payoutId));
    return auditPayout(deps, tx, operator, { action: 'payout.approve', before: payout });
  });
