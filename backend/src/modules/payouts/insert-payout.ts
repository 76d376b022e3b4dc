import type { Db } from '../../platform/db/index.ts';
import { insertPayoutRow } from './payouts.store.ts';
import type { NewPayout, PayoutsDeps } from './payouts.types.ts';
import { needsApproval } from './payout-approval.ts';
import { findHold, type HoldDeps } from './payout-holds.ts';
import { dispatchJob } from './payouts.jobs.ts';

/**
 * Creates the payout of a sale in the transaction that confirms the sale and has locked the
 * customer's holding. The payout is PENDING. Its dispatch job is queued unless the payout is above
 * the cap or held. Returns the payout's id. The database refuses a second payout of an order.
 */
export const insertPayout = async (
  deps: HoldDeps & Pick<PayoutsDeps, 'random'>,
  tx: Db,
  payout: NewPayout,
): Promise<string> => {
  const id = deps.random.uuid();
  const createdAt = deps.clock.now();
  const hold = await findHold(deps, tx, payout);
  const approvalRequired = hold !== null || needsApproval(payout.amountPaise);
  const row = { ...payout, id, approvalRequired, hold, createdAt };
  await insertPayoutRow(tx, row, dispatchJob(id));
  return id;
};
