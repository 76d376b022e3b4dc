import { resealHashes, type BlindIndex, type SecretHasher } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { hashPhone } from './phone.ts';
import { listOutdatedPhones, updatePhoneHash } from './users.store.ts';

const batchSize = 500;
const mpins = { table: 'app_user', column: 'mpin_hash' } as const;

/**
 * Hashes phones with the first key again if another key hashed them, and seals MPINs with the first
 * pepper. Codes and their counts live for minutes, so they are looked up by every key instead.
 * Returns the number of changed values.
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
