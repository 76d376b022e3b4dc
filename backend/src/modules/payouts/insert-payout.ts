import type { Db } from '../../platform/db/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { needsApproval } from './payout-approval.ts';
import { findHold, type PayoutHolds } from './payout-holds.ts';
import { insertPayoutRow } from './payout.store.ts';
import { dispatchJob } from './payouts.jobs.ts';
import type { NewPayout, PayoutsDeps } from './payouts.types.ts';

export interface InsertPayoutDeps extends Pick<PayoutsDeps, 'clock' | 'random'> {
  readonly payoutHolds: PayoutHolds;
}

/**
 * Creates the payout of a sale in the transaction that confirms the sale and has the customer's
 * holding locked: PENDING, with its dispatch job unless it is above the cap or meets a hold. Returns
 * its id. The database refuses a second one for an order.
 */
export const insertPayout = async (
  { clock, random, payoutHolds }: InsertPayoutDeps,
  tx: Db,
  payout: NewPayout,
): Promise<string> => {
  const id = random.uuid();
  const createdAt = clock.now();
  const hold = await findHold(tx, payoutHolds, payout, createdAt);
  const approvalRequired = hold !== null || needsApproval(payout.amountPaise);
  await insertPayoutRow(tx, { ...payout, id, approvalRequired, hold, createdAt });
  if (!approvalRequired) await enqueue(tx, dispatchJob(id));
  return id;
};
