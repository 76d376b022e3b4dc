import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import type { RevocationReason, Session } from './identity.types.ts';

/*
 * The rows of `session` and `used_refresh_token`. This file also revokes rows of `biometric_token`,
 * since most ends of a session end its device's token too.
 */

const columns = {
  id: true,
  userId: true,
  deviceId: true,
  deviceName: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
} as const;

/** The session of a refresh token that is current or already exchanged. */
interface TokenSession extends Session {
  readonly familyId: string;
  readonly revokedAt: Date | null;
}

const tokenColumns = { ...columns, familyId: true, revokedAt: true } as const;

export interface UsedToken {
  readonly usedAt: Date;
  /** The hash of the token that replaced it, or null if it may not be exchanged once more. */
  readonly successorHash: string | null;
  readonly session: TokenSession;
}

export const insertSession = async (
  tx: Db,
  session: Session,
  familyId: string,
  refreshTokenHash: string,
): Promise<void> => {
  await tx.session.create({ data: { ...session, familyId, refreshTokenHash } });
};

/**
 * Searches all sessions of a user, live and ended. `isKnown` is true if one is of this device, and
 * `hasAny` if there is any at all.
 */
export const findSessionHistory = async (
  db: Db,
  userId: string,
  deviceId: string,
): Promise<{ readonly isKnown: boolean; readonly hasAny: boolean }> => {
  const select = { id: true };
  const anySession = await db.session.findFirst({ where: { userId }, select });
  if (anySession === null) return { isKnown: false, hasAny: false };
  const ofDevice = await db.session.findFirst({ where: { userId, deviceId }, select });
  return { isKnown: ofDevice !== null, hasAny: true };
};

/**
 * Ends the device's live session, and returns its id, or an empty list if there is none. The
 * device's biometric token stays valid.
 */
export const revokeDeviceSession = async (
  tx: Db,
  userId: string,
  deviceId: string,
  at: Date,
): Promise<string[]> => {
  const reason: RevocationReason = 'replaced';
  const rows = await tx.session.updateManyAndReturn({
    where: { userId, deviceId, revokedAt: null },
    data: { revokedAt: at, revokedReason: reason },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
};

/** Locks the session with this current refresh token until the transaction ends. */
export const lockSessionByToken = async (
  tx: Db,
  refreshTokenHash: string,
): Promise<TokenSession | undefined> => {
  const locked = await selectOne<{ id: string }>(
    tx,
    sql`SELECT id FROM session WHERE refresh_token_hash = ${refreshTokenHash} FOR UPDATE`,
  );
  if (locked === undefined) return undefined;
  const where = { refreshTokenHash };
  return (await tx.session.findUnique({ where, select: tokenColumns })) ?? undefined;
};

export const findUsedToken = async (db: Db, tokenHash: string): Promise<UsedToken | undefined> => {
  const select = { usedAt: true, successorHash: true, session: { select: tokenColumns } } as const;
  return (await db.usedRefreshToken.findUnique({ where: { tokenHash }, select })) ?? undefined;
};

/** Exchanges a session's refresh token for the next one. The caller has locked the session. */
export const rotateRefreshToken = async (
  tx: Db,
  session: TokenSession,
  tokens: { usedHash: string; nextHash: string; at: Date; expiresAt: Date },
): Promise<void> => {
  const { usedHash, nextHash, at, expiresAt } = tokens;
  await tx.usedRefreshToken.create({
    data: {
      tokenHash: usedHash,
      sessionId: session.id,
      familyId: session.familyId,
      usedAt: at,
      successorHash: nextHash,
      expiresAt: session.expiresAt,
    },
  });
  await tx.session.update({
    where: { id: session.id },
    data: { refreshTokenHash: nextHash, lastUsedAt: at, expiresAt },
    select: { id: true },
  });
};

/**
 * Locks the session whose current token replaced this used one, so that the current token was never
 * used itself. Returns undefined if there is no such session.
 */
export const lockSuccessorsSession = async (
  tx: Db,
  tokenHash: string,
): Promise<TokenSession | undefined> => {
  const locked = await selectOne<{ hash: string }>(
    tx,
    sql`
      SELECT s.refresh_token_hash AS hash FROM session s
      JOIN used_refresh_token u ON u.session_id = s.id
      WHERE u.token_hash = ${tokenHash} AND u.successor_hash = s.refresh_token_hash
      FOR UPDATE OF s`,
  );
  return locked === undefined ? undefined : lockSessionByToken(tx, locked.hash);
};

/**
 * Replaces the successor of a used token by another one, because the client never received it.
 * Neither the used token nor its successor may be exchanged once more. The caller has locked the
 * session.
 */
export const replaceSuccessor = async (
  tx: Db,
  session: TokenSession,
  tokens: { usedHash: string; endedHash: string; nextHash: string; at: Date; expiresAt: Date },
): Promise<void> => {
  const { usedHash, endedHash, at } = tokens;
  await rotateRefreshToken(tx, session, { ...tokens, usedHash: endedHash });
  await tx.usedRefreshToken.updateMany({
    where: { tokenHash: { in: [usedHash, endedHash] } },
    data: { successorHash: null, usedAt: at },
  });
};

/** Selects the biometric tokens that are not revoked, and were issued or used after `cutoff`. */
export const validBiometricTokens = (cutoff: Date) => ({
  revokedAt: null,
  OR: [{ createdAt: { gt: cutoff } }, { lastUsedAt: { gt: cutoff } }],
});

/** Ends all biometric tokens of a customer, or the token of one of their devices. */
export const revokeBiometricTokens = async (
  tx: Db,
  owner: { readonly userId: string; readonly deviceId?: string },
  revokedAt: Date,
): Promise<void> => {
  const where = { ...owner, revokedAt: null };
  await tx.biometricToken.updateMany({ where, data: { revokedAt } });
};

/** Ends the matching live sessions with their biometric tokens, and returns the sessions. */
export const revokeSessions = async (
  tx: Db,
  where: { id: string; userId: string } | { familyId: string } | { id: { in: string[] } },
  reason: RevocationReason,
  at: Date,
): Promise<{ id: string; deviceId: string }[]> => {
  const rows = await tx.session.updateManyAndReturn({
    where: { ...where, revokedAt: null },
    data: { revokedAt: at, revokedReason: reason },
    select: { id: true, userId: true, deviceId: true },
  });
  for (const { userId, deviceId } of rows) {
    await tx.biometricToken.updateMany({
      where: { userId, deviceId, revokedAt: null },
      data: { revokedAt: at },
    });
  }
  return rows;
};

/**
 * Ends the oldest live sessions of a customer, so that `maxSessions` stay, and returns their ids. The
 * given session was just opened, so it always stays. The caller has locked the customer.
 */
export const revokeOldestSessions = async (
  tx: Db,
  { id, userId }: Pick<Session, 'id' | 'userId'>,
  { maxSessions, now }: { readonly maxSessions: number; readonly now: Date },
): Promise<string[]> => {
  const oldest = await tx.session.findMany({
    where: { userId, id: { not: id }, revokedAt: null, expiresAt: { gt: now } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    skip: maxSessions - 1,
    select: { id: true },
  });
  const ids = oldest.map((session) => session.id);
  if (ids.length > 0) await revokeSessions(tx, { id: { in: ids } }, 'crowded-out', now);
  return ids;
};

/** Ends every live session of a customer and their biometric tokens. Returns the sessions' ids. */
export const revokeEverySession = async (
  tx: Db,
  userId: string,
  reason: RevocationReason,
  at: Date,
): Promise<string[]> => {
  const rows = await tx.session.updateManyAndReturn({
    where: { userId, revokedAt: null },
    data: { revokedAt: at, revokedReason: reason },
    select: { id: true },
  });
  // All tokens end, since a token may have outlived its device's session.
  await tx.biometricToken.updateMany({
    where: { userId, revokedAt: null },
    data: { revokedAt: at },
  });
  return rows.map(({ id }) => id);
};

/** Locks the live session of a device until the transaction ends, and returns its id. */
export const lockLiveSession = async (
  tx: Db,
  { userId, deviceId }: { readonly userId: string; readonly deviceId: string },
  now: Date,
): Promise<string | undefined> => {
  const row = await selectOne<{ id: string }>(
    tx,
    sql`
      SELECT id::text AS id FROM session
      WHERE user_id = ${userId}::uuid AND device_id = ${deviceId} AND revoked_at IS NULL
        AND expires_at > ${now}::timestamptz
      FOR UPDATE`,
  );
  return row?.id;
};

/** Returns the device's name as its newest session has it. */
export const findDeviceName = async (
  db: Db,
  userId: string,
  deviceId: string,
): Promise<string | undefined> => {
  const row = await db.session.findFirst({
    where: { userId, deviceId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { deviceName: true },
  });
  return row?.deviceName ?? undefined;
};

export const findLiveSession = async (
  db: Db,
  id: string,
  userId: string,
  now: Date,
): Promise<{ id: string; createdAt: Date } | undefined> => {
  const where = { id, userId, revokedAt: null, expiresAt: { gt: now } };
  const select = { id: true, createdAt: true };
  return (await db.session.findFirst({ where, select })) ?? undefined;
};
