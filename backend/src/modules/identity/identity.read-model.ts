import type { Db } from '../../platform/db/index.ts';
import type { User } from './identity.types.ts';
import { createUserStore } from './users.store.ts';

/** A customer, blocked and deleted ones too; undefined when nobody has this id. */
export const findUser = (db: Db, userId: string): Promise<User | undefined> =>
  createUserStore(db).findById(userId);

/**
 * Keeps the gold provider's id of a customer, in the caller's transaction. `at` is the business
 * time. @throws a unique violation when another customer has this provider id.
 */
export const setProviderUserId = async (
  db: Db,
  userId: string,
  providerUserId: string,
  at: Date,
): Promise<void> => {
  const found = await createUserStore(db).setProviderUserId(userId, providerUserId, at);
  if (!found) throw new Error(`no user ${userId}`);
};
