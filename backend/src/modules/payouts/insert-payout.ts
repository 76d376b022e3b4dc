import { enqueue } from '../../platform/jobs/index.ts';
import { dispatchJob } from './dispatch-job.ts';
import { needsApproval } from './payout-caps.ts';
import { createPayoutStore } from './payout.store.ts';
import type { Payouts, PayoutsDeps } from './payouts.deps.ts';

/** See `Payouts.insertPayout`. */
export const createInsertPayout =
  ({ clock, random }: Pick<PayoutsDeps, 'clock' | 'random'>): Payouts['insertPayout'] =>
  async (db, payout) => {
    const id = random.uuid();
    const approvalRequired = needsApproval(payout.amountPaise);
    await createPayoutStore(db).insert({
      ...payout,
      id,
      approvalRequired,
      createdAt: clock.now(),
    });
    if (!approvalRequired) await enqueue(db, dispatchJob(id));
    return id;
  };
