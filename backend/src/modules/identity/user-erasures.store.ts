import { execute, joinSql, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { eraseDeviceIds } from '../security-events/index.ts';

/* Erases a deleted account from the tables of this module. */

/** The account that is being deleted. */
export interface UserToErase {
  readonly userId: string;
  /** The hashes of its phone by each known key. The current key's hash comes first. */
  readonly phoneHashes: readonly [string, ...string[]];
}

/**
 * Locks a phone's rows of `otp_guard`. Call this before you lock the user. A sign-in locks in the
 * same order, so neither waits for the other forever.
 */
export const lockCodeGuards = async (
  tx: Db,
  { phoneHashes }: Pick<UserToErase, 'phoneHashes'>,
): Promise<void> => {
  await selectRows(
    tx,
    sql`
      SELECT phone_hash FROM otp_guard WHERE phone_hash IN (${joinSql(phoneHashes)})
      ORDER BY phone_hash, purpose FOR UPDATE`,
  );
};

/**
 * Locks the user until the transaction ends. Meanwhile no row that references the user can be
 * inserted, since its foreign key must lock the user's row too. Returns false if the account is
 * already blocked or deleted.
 */
export const lockUserForDeletion = async (tx: Db, userId: string): Promise<boolean> => {
  const row = await selectOne(
    tx,
    sql`
      SELECT id FROM app_user
      WHERE id = ${userId}::uuid AND deleted_at IS NULL AND NOT blocked FOR UPDATE`,
  );
  return row !== undefined;
};

/** Deletes the sessions with all their tokens, and returns the sessions' ids. */
const deleteSessions = async (tx: Db, userId: string): Promise<string[]> => {
  // The sessions are locked first, so that a concurrent refresh cannot add a used token to one.
  const rows = await selectRows<{ id: string }>(
    tx,
    sql`SELECT id::text AS id FROM session WHERE user_id = ${userId}::uuid FOR UPDATE`,
  );
  const ids = rows.map(({ id }) => id);
  await tx.usedRefreshToken.deleteMany({ where: { sessionId: { in: ids } } });
  await tx.session.deleteMany({ where: { userId } });
  await tx.biometricToken.deleteMany({ where: { userId } });
  await tx.pushToken.deleteMany({ where: { userId } });
  return ids;
};

/**
 * Erases the codes, counts and locks of the phone. The rows of sent codes stay without the phone's
 * hash, since the limit of an IP address counts them.
 */
const eraseCodesAndGuards = async (tx: Db, phoneHashes: readonly string[]): Promise<void> => {
  const where = { phoneHash: { in: [...phoneHashes] } };
  await tx.otpCode.deleteMany({ where });
  await tx.otpGuard.deleteMany({ where });
  await tx.mpinGuard.deleteMany({ where });
  await tx.signInGuard.deleteMany({ where });
  await tx.otpSend.updateMany({ where, data: { phoneHash: '' } });
};

/** Stores a hash of the phone. Until `until`, a sign-in by code with this phone is refused. */
const startCoolDown = (tx: Db, phoneHash: string, until: Date): Promise<number> =>
  execute(
    tx,
    sql`
      INSERT INTO deleted_phone (phone_hash, until) VALUES (${phoneHash}, ${until}::timestamptz)
      ON CONFLICT (phone_hash) DO UPDATE SET until = EXCLUDED.until`,
  );

/**
 * Erases the user, whose row stays as a tombstone. The caller has locked the user. Returns the ids of
 * the ended sessions, which the caller passes to `announceSessionsEnd` after the commit.
 */
export const eraseUser = async (
  tx: Db,
  { userId, phoneHashes }: UserToErase,
  { at, coolDownUntil }: { readonly at: Date; readonly coolDownUntil: Date },
): Promise<string[]> => {
  const sessionIds = await deleteSessions(tx, userId);
  await eraseCodesAndGuards(tx, phoneHashes);
  await tx.trustedDevice.deleteMany({ where: { userId } });
  await eraseDeviceIds(tx, userId);
  await startCoolDown(tx, phoneHashes[0], coolDownUntil);
  await tx.user.update({
    where: { id: userId },
    data: {
      phone: null,
      phoneHash: null,
      phoneHashKey: null,
      fullName: null,
      email: null,
      mpinHash: null,
      mpinSetAt: null,
      blockedReason: null,
      blockedReasonSealed: null,
      blockedAt: null,
      deletedAt: at,
      updatedAt: at,
    },
    select: { id: true },
  });
  return sessionIds;
};
