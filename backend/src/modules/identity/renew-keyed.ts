import { resealHashes, type BlindIndex, type SecretHasher } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { hashPhone } from './phone.ts';
import { listOutdatedPhones, updatePhoneHash } from './users.store.ts';

const batchSize = 500;
const mpins = { table: 'app_user', column: 'mpin_hash' } as const;

/**
 * After a new first key: hashes phones with it that another key hashed, and seals MPINs again. What
 * lives for minutes (codes, their counts) is looked up by every key instead.
 * @returns how many values changed
 */
export const renewIdentityKeyed = async (
  deps: {
    readonly db: Db;
    readonly blindIndex: BlindIndex;
    readonly hasher: Pick<SecretHasher, 'currentPrefix' | 'reseal'>;
  },
  signal: AbortSignal,
): Promise<number> => {
  const { db, blindIndex, hasher } = deps;
  let count = 0;
  while (!signal.aborted) {
    const users = await listOutdatedPhones(db, blindIndex.keyId, batchSize);
    for (const user of users) {
      const phoneHash = hashPhone(blindIndex, user.phone);
      await updatePhoneHash(db, user, { phoneHash, phoneHashKey: blindIndex.keyId });
    }
    count += users.length;
    if (users.length < batchSize) break;
  }
  return count + (await resealHashes(db, hasher, mpins, signal));
};
