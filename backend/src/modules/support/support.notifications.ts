import type { Db } from '../../platform/db/index.ts';
import type { Notify } from '../notifications/index.ts';
import { isStillCustomer } from '../identity/index.ts';

/** Notifies a ticket's customer of an answer. An author without an account is not notified. */
export const notifyAnswered = async (
  tx: Db,
  notify: Notify,
  {
    ticket: { userId, reference },
    messageId,
  }: {
    readonly ticket: { readonly userId: string | null; readonly reference: string };
    readonly messageId: string;
  },
): Promise<void> => {
  if (userId === null || !(await isStillCustomer(tx, userId))) return;
  await notify(tx, {
    userId,
    type: 'ticket_answered',
    title: 'We replied to your ticket',
    body: `Our support team replied to your ticket ${reference}. You can read the reply and write back.`,
    data: { reference },
    dedupeKey: `ticket_message:${messageId}`,
  });
};
