import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { ActiveUser } from './identity.types.ts';
import { hashPhone } from './phone.ts';
import { insertUser } from './users.store.ts';

export interface CreateUserDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUser'>;
  readonly blindIndex: BlindIndex;
  /** Creates what other modules keep for every customer (the holding), in the same transaction. */
  readonly onUserCreated: (tx: Db, userId: string, at: Date) => Promise<void>;
}

/** The letters and digits of referral codes, without 0, O, 1, I and L, which are easily confused. */
export const referralAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

const referralCodeLength = 8;
const maxAttempts = 8;

const makeReferralCode = (random: Pick<Random, 'int'>): string =>
  Array.from({ length: referralCodeLength }, () =>
    referralAlphabet.charAt(random.int(referralAlphabet.length)),
  ).join('');

/**
 * Creates the customer of a phone that has none: the user with a new referral code, the data key,
 * and the rows of `onUserCreated`. They are all written in the caller's transaction, so that no
 * customer is ever without a holding to lock or a key to seal with.
 */
export const createUser = async (
  deps: CreateUserDeps,
  tx: Db,
  phone: string,
): Promise<ActiveUser> => {
  const { clock, random, vault, blindIndex, onUserCreated } = deps;
  const hashed = { phoneHash: hashPhone(blindIndex, phone), phoneHashKey: blindIndex.keyId };
  const createdAt = clock.now();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const id = random.uuid();
    const referralCode = makeReferralCode(random);
    if (await insertUser(tx, { id, phone, ...hashed, referralCode, createdAt })) {
      await vault.forUser(tx, id);
      await onUserCreated(tx, id, createdAt);
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
