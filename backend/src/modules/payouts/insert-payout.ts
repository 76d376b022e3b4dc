import type { Db } from '../../platform/db/index.ts';
import { insertPayoutRow } from './payouts.store.ts';
import type { NewPayout, PayoutsDeps } from './payouts.types.ts';
import { needsApproval } from './payout-approval.ts';
import { findHold, type HoldDeps } from './payout-holds.ts';
import { dispatchJob } from './payouts.jobs.ts';

/**
 * Creates the payout of a sale in the transaction that confirms the sale and has the customer's
 * holding locked: PENDING, with its dispatch job unless it is above the cap or meets a hold.
 * Returns its id. The database refuses a second one for an order.
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
