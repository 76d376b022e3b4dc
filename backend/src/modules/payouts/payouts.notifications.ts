import { formatRupees } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { Payout } from './payouts.types.ts';

const dataOf = ({ id, orderId }: Payout) => ({ payoutId: id, orderId });

/** Notifies the customer that the money is there. */
export const tellPaid = (db: Db, notify: Notify, payout: Payout): Promise<void> =>
  notify(db, {
    userId: payout.userId,
    type: 'payout_paid',
    title: 'Your money was paid out',
    body:
      `INR ${formatRupees(payout.amountPaise)} was paid to your account ending in ` +
      `${payout.accountLast4}.`,
    data: dataOf(payout),
    dedupeKey: `payout_paid:${payout.id}:${payout.attempt}`,
  });

/** Notifies the customer that it is not there, or not any more; not why, which is for operators. */
export const tellNotPaid = (db: Db, notify: Notify, payout: Payout): Promise<void> =>
  notify(db, {
    userId: payout.userId,
    type: 'payout_failed',
    title: 'Your payout did not go through',
    body:
      `INR ${formatRupees(payout.amountPaise)} could not be paid to your account ending in ` +
      `${payout.accountLast4}. It is still yours, and we are looking into it.`,
    data: dataOf(payout),
    dedupeKey: `payout_failed:${payout.id}:${payout.attempt}`,
  });
