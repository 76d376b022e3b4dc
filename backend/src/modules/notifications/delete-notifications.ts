import type { Db } from '../../platform/db/index.ts';

/** Deletes every notification of a customer, in the transaction that deletes their account. */
export const deleteNotifications = async (tx: Db, userId: string): Promise<void> => {
  await tx.notification.deleteMany({ where: { userId } });
};
