import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { ActiveUser } from './identity.types.ts';
import { makeReferralCode } from './referral-code.ts';
import { createUserStore } from './users.store.ts';

export interface CreateUserDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUser'>;
  /** What other modules keep for every customer (the holding), in the same transaction. */
  readonly onUserCreated: (db: Db, userId: string, at: Date) => Promise<void>;
}

const maxAttempts = 8;

/**
 * Makes the customer of a phone that has none, in the caller's transaction: the user with a
 * referral code of their own, the data key, and what `onUserCreated` adds.
 */
export const createUser = async (
  deps: CreateUserDeps,
  db: Db,
  { phone, phoneHash }: { phone: string; phoneHash: string },
): Promise<ActiveUser> => {
  const { clock, random, vault, onUserCreated } = deps;
  const createdAt = clock.now();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const id = random.uuid();
    const referralCode = makeReferralCode(random);
    if (await createUserStore(db).insert({ id, phone, phoneHash, referralCode, createdAt })) {
      await vault.forUser(db, id);
      await onUserCreated(db, id, createdAt);
      return {
        id,
        phone,
        fullName: null,
        email: null,
        referralCode,
        providerUserId: null,
        mpinSet: false,
        blocked: false,
        deletedAt: null,
        createdAt,
      };
    }
  }
  throw new Error(`no free referral code in ${maxAttempts} attempts`);
};
