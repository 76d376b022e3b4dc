import type { CountedTries } from '../../platform/auth/counted-tries.ts';
import { execute, lockText, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';

/*
 * The rows of `mpin_guard`, and the MPIN's columns of `app_user`. A guard's row is of a phone's
 * keyed hash, whether or not anybody has the phone.
 */

/**
 * While a key of the blind index is replaced: gives the tries and the lock of older hashes the
 * phone's own hash, whatever replica wrote them. Replicas whose first keys differ take turns.
 */
const adoptGuard = async (
  tx: Db,
  [phoneHash, ...older]: readonly [string, ...string[]],
): Promise<void> => {
  if (older.length === 0) return;
  const [turn] = [phoneHash, ...older].toSorted();
  await lockText(tx, `mpin-guard|${turn}`);
  for (const old of older) {
    await execute(
      tx,
      sql`
        UPDATE mpin_guard SET phone_hash = ${phoneHash}
        WHERE phone_hash = ${old}
          AND NOT EXISTS (SELECT FROM mpin_guard WHERE phone_hash = ${phoneHash})`,
    );
  }
};

/** Locks the guard of a phone, by all its hashes, until the transaction ends. */
export const lockMpinGuard = async (
  tx: Db,
  hashes: readonly [string, ...string[]],
): Promise<CountedTries> => {
  await adoptGuard(tx, hashes);
  const [phoneHash] = hashes;
  // The update changes nothing but takes the row's lock, whether or not the row was there.
  const row = await selectOne<CountedTries>(
    tx,
    sql`
      INSERT INTO mpin_guard (phone_hash) VALUES (${phoneHash})
      ON CONFLICT (phone_hash) DO UPDATE SET phone_hash = EXCLUDED.phone_hash
      RETURNING tried_at AS "triedAt", locked_until AS "lockedUntil"`,
  );
  return row ?? { triedAt: [], lockedUntil: null };
};

export const saveMpinTries = async (
  tx: Db,
  phoneHash: string,
  { triedAt, lockedUntil }: CountedTries,
): Promise<void> => {
  const data = { triedAt: [...triedAt], lockedUntil };
  await tx.mpinGuard.update({ where: { phoneHash }, data, select: { phoneHash: true } });
};

/** Forgets the tries and the lock of a phone. */
export const clearMpinTries = async (tx: Db, hashes: readonly string[]): Promise<void> => {
  await tx.mpinGuard.deleteMany({ where: { phoneHash: { in: [...hashes] } } });
};

/** A customer with the hash of their MPIN; null before they set one. */
interface MpinHolder {
  readonly id: string;
  readonly mpinHash: string | null;
}

/** Returns the customer who has `phone`, a blocked one too. */
export const findMpinHolder = async (db: Db, phone: string): Promise<MpinHolder | undefined> =>
  (await db.user.findUnique({ where: { phone }, select: { id: true, mpinHash: true } })) ??
  undefined;

/** Locks the customer until the transaction ends; false where `mpinHash` is theirs no more. */
export const lockMpinHolder = async (
  tx: Db,
  { id, mpinHash }: { readonly id: string; readonly mpinHash: string },
): Promise<boolean> => {
  const rows = await selectRows(
    tx,
    sql`
      SELECT id FROM app_user WHERE id = ${id}::uuid AND mpin_hash = ${mpinHash}
      FOR NO KEY UPDATE`,
  );
  return rows.length === 1;
};

/** Sets the MPIN of a customer whose row is locked. */
export const storeMpin = async (tx: Db, id: string, mpinHash: string, at: Date): Promise<void> => {
  const data = { mpinHash, mpinSetAt: at, updatedAt: at };
  await tx.user.update({ where: { id }, data, select: { id: true } });
};
