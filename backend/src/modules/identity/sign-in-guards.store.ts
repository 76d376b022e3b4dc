import type { CountedTries } from '../../platform/auth/counted-tries.ts';
import { execute, lockText, selectOne, sql, type Db } from '../../platform/db/index.ts';
import type { CodePurpose } from './one-time-code.rules.ts';

/*
 * Table `sign_in_guard` has the tries of a code or MPIN by phone and caller. The phone is stored as
 * its keyed hash. Tries are counted for unregistered phones too.
 */

/** Identifies the tries that are counted and locked as one. */
export interface GuardKey {
  readonly phoneHash: string;
  readonly purpose: 'mpin' | 'any-code' | CodePurpose;
  readonly caller: string;
}

/**
 * Replaces the older hashes of a phone in its tries and locks by the first hash. This is needed
 * while a key of the blind index is replaced, since replicas then write different hashes.
 * Concurrent calls by replicas with different first keys are serialised.
 */
export const rehashGuards = async (
  tx: Db,
  [phoneHash, ...olderHashes]: readonly [string, ...string[]],
): Promise<void> => {
  if (olderHashes.length === 0) return;
  // All replicas lock the same hash of the phone, whichever of its hashes is their first.
  const [lockedHash] = [phoneHash, ...olderHashes].toSorted();
  await lockText(tx, `sign-in-guard|${lockedHash}`);
  for (const olderHash of olderHashes) {
    await execute(
      tx,
      sql`
        UPDATE sign_in_guard g SET phone_hash = ${phoneHash}
        WHERE phone_hash = ${olderHash} AND NOT EXISTS (
          SELECT FROM sign_in_guard
          WHERE phone_hash = ${phoneHash} AND purpose = g.purpose AND caller = g.caller)`,
    );
  }
};

/** Locks a guard until the transaction ends, and returns its tries. Creates a missing row. */
export const lockGuard = async (
  tx: Db,
  { phoneHash, purpose, caller }: GuardKey,
): Promise<CountedTries> => {
  // The update changes nothing but takes the row's lock, whether or not the row was there.
  const row = await selectOne<CountedTries>(
    tx,
    sql`
      INSERT INTO sign_in_guard (phone_hash, purpose, caller)
      VALUES (${phoneHash}, ${purpose}, ${caller})
      ON CONFLICT (phone_hash, purpose, caller) DO UPDATE SET caller = EXCLUDED.caller
      RETURNING tried_at AS "triedAt", locked_until AS "lockedUntil"`,
  );
  return row ?? { triedAt: [], lockedUntil: null };
};

export const updateTries = async (
  tx: Db,
  key: GuardKey,
  { triedAt, lockedUntil }: CountedTries,
): Promise<void> => {
  const data = { triedAt: [...triedAt], lockedUntil };
  const where = { phoneHash_purpose_caller: key };
  await tx.signInGuard.update({ where, data, select: { phoneHash: true } });
};

/** Deletes the tries and the lock of a guard. */
export const deleteTries = async (tx: Db, key: GuardKey): Promise<void> => {
  await tx.signInGuard.deleteMany({ where: key });
};

/** Deletes the tries of a phone's MPIN by all callers, with their locks. */
export const deleteMpinTries = async (tx: Db, hashes: readonly string[]): Promise<void> => {
  await tx.signInGuard.deleteMany({ where: { phoneHash: { in: [...hashes] }, purpose: 'mpin' } });
};
