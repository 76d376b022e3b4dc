import { formatRupees } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { Payout } from './payouts.types.ts';

const dataOf = ({ id, orderId }: Payout) => ({ payoutId: id, orderId });

const accountOf = ({ accountLast4 }: Payout): string => `bank account ending in ${accountLast4}`;

/** Notifies the customer that the money was paid. */
export const notifyPaid = (db: Db, notify: Notify, payout: Payout): Promise<void> =>
  notify(db, {
    userId: payout.userId,
    type: 'payout_paid',
    title: 'Your money was paid out',
    body:
      `INR ${formatRupees(payout.amountPaise)} from your gold sale was paid to your ` +
      `${accountOf(payout)}.`,
    data: dataOf(payout),
    dedupeKey: `payout_paid:${payout.id}:${payout.attempt}`,
  });

/** Notifies the customer that the money was not paid, or came back. The reason is for operators. */
export const notifyNotPaid = (db: Db, notify: Notify, payout: Payout): Promise<void> =>
  notify(db, {
    userId: payout.userId,
    type: 'payout_failed',
    title: 'Your payout did not go through',
    body:
      `INR ${formatRupees(payout.amountPaise)} could not be paid to your ${accountOf(payout)}. ` +
      'The money is still yours, and we are working on paying it. You need not do anything.',
    data: dataOf(payout),
    dedupeKey: `payout_failed:${payout.id}:${payout.attempt}`,
  });
