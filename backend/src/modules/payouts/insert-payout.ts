import type { Db } from '../../platform/db/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { needsApproval } from './payout-approval.ts';
import { insertPayoutRow } from './payout.store.ts';
import { dispatchJob } from './payouts.jobs.ts';
import type { NewPayout, PayoutsDeps } from './payouts.types.ts';

/**
 * Creates the payout of a sale in the transaction that confirms the sale: PENDING, with its dispatch
 * job unless it needs approval. Returns its id. The database refuses a second one for an order.
 */
export const insertPayout = async (
  { clock, random }: Pick<PayoutsDeps, 'clock' | 'random'>,
  tx: Db,
  payout: NewPayout,
): Promise<string> => {
  const id = random.uuid();
  const approvalRequired = needsApproval(payout.amountPaise);
  await insertPayoutRow(tx, { ...payout, id, approvalRequired, createdAt: clock.now() });
  if (!approvalRequired) await enqueue(tx, dispatchJob(id));
  return id;
};
