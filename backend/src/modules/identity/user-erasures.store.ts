import { execute, joinSql, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { eraseDeviceIds } from '../security-events/index.ts';

/* The deletion of an account, in the tables of this module: what is erased and what stays. */

/** The account that is being deleted. */
export interface UserToErase {
  readonly userId: string;
  /** Every hash of its phone that may be stored, the first key's first. */
  readonly phoneHashes: readonly [string, ...string[]];
}

/**
 * Locks what counts codes for a phone, in the order in which a sign-in does: this before the user.
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
 * Locks the user so that no row for them can be written until the transaction ends, since each one
 * takes a key share lock. Returns false if the account is already blocked or deleted.
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
  // Locked first: a refresh under way adds a used token to its session.
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

/** Erases the counts and locks of the phone. The sends still count for their address. */
const eraseCodes = async (tx: Db, phoneHashes: readonly string[]): Promise<void> => {
  const where = { phoneHash: { in: [...phoneHashes] } };
  await tx.otpCode.deleteMany({ where });
  await tx.otpGuard.deleteMany({ where });
  await tx.mpinGuard.deleteMany({ where });
  await tx.signInGuard.deleteMany({ where });
  await tx.otpSend.updateMany({ where, data: { phoneHash: '' } });
};

/** Keeps a hash of the number, by which it is refused until then. */
const startCoolDown = (tx: Db, phoneHash: string, until: Date): Promise<number> =>
  execute(
    tx,
    sql`
      INSERT INTO deleted_phone (phone_hash, until) VALUES (${phoneHash}, ${until}::timestamptz)
      ON CONFLICT (phone_hash) DO UPDATE SET until = EXCLUDED.until`,
  );

/**
 * Leaves a tombstone of the user, whom the transaction has locked, and returns the ids of the
 * sessions that ended: pass them to `announceSessionsEnd` after the commit.
 */
export const eraseUser = async (
  tx: Db,
  { userId, phoneHashes }: UserToErase,
  { at, coolDownUntil }: { readonly at: Date; readonly coolDownUntil: Date },
): Promise<string[]> => {
  const sessionIds = await deleteSessions(tx, userId);
  await eraseCodes(tx, phoneHashes);
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
