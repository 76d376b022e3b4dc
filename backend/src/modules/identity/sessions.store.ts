import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { RevocationReason, Session } from './identity.types.ts';

const columns = {
  id: true,
  userId: true,
  deviceId: true,
  deviceName: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
} as const;

/** What a refresh token belongs to, whether it is the current one or was used before. */
export interface TokenSession extends Session {
  readonly familyId: string;
  readonly revokedAt: Date | null;
}

const tokenColumns = { ...columns, familyId: true, revokedAt: true } as const;

export interface UsedToken {
  readonly usedAt: Date;
  readonly session: TokenSession;
}

/** The rows of `session` and `used_refresh_token`, and a session's biometric token. */
export const createSessionStore = (db: Db) => ({
  async insert(session: Session, familyId: string, refreshTokenHash: string): Promise<void> {
    await db.session.create({ data: { ...session, familyId, refreshTokenHash } });
  },

  /** Ends the device's session, if it has one; answers the ids. Its biometric token stays. */
  async replaceOnDevice(userId: string, deviceId: string, at: Date): Promise<string[]> {
    const reason: RevocationReason = 'replaced';
    const rows = await db.session.updateManyAndReturn({
      where: { userId, deviceId, revokedAt: null },
      data: { revokedAt: at, revokedReason: reason },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  },

  /** The session whose current refresh token this is, locked until the transaction ends. */
  async lockByToken(refreshTokenHash: string): Promise<TokenSession | undefined> {
    const rows = await db.$queryRaw<{ id: string }[]>`
      SELECT id FROM session WHERE refresh_token_hash = ${refreshTokenHash} FOR UPDATE`;
    if (rows.length === 0) return undefined;
    const where = { refreshTokenHash };
    return (await db.session.findUnique({ where, select: tokenColumns })) ?? undefined;
  },

  async findUsedToken(tokenHash: string): Promise<UsedToken | undefined> {
    const select = { usedAt: true, session: { select: tokenColumns } } as const;
    const row = await db.usedRefreshToken.findUnique({ where: { tokenHash }, select });
    return row ?? undefined;
  },

  /** Exchanges a session's refresh token for the next one. The caller holds the row's lock. */
  async rotate(
    session: TokenSession,
    tokens: { usedHash: string; nextHash: string; at: Date; expiresAt: Date },
  ): Promise<void> {
    const { usedHash, nextHash, at, expiresAt } = tokens;
    await db.usedRefreshToken.create({
      data: {
        tokenHash: usedHash,
        sessionId: session.id,
        familyId: session.familyId,
        usedAt: at,
        expiresAt: session.expiresAt,
      },
    });
    await db.session.update({
      where: { id: session.id },
      data: { refreshTokenHash: nextHash, lastUsedAt: at, expiresAt },
      select: { id: true },
    });
  },

  /** Ends the live sessions that fit, with their biometric tokens; answers the sessions' ids. */
  async revoke(
    where: { id: string; userId: string } | { familyId: string },
    reason: RevocationReason,
    at: Date,
  ): Promise<string[]> {
    const rows = await db.session.updateManyAndReturn({
      where: { ...where, revokedAt: null },
      data: { revokedAt: at, revokedReason: reason },
      select: { id: true, userId: true, deviceId: true },
    });
    for (const { userId, deviceId } of rows) {
      await db.biometricToken.updateMany({
        where: { userId, deviceId, revokedAt: null },
        data: { revokedAt: at },
      });
    }
    return rows.map(({ id }) => id);
  },

  async findLive(id: string, userId: string, now: Date): Promise<{ id: string } | undefined> {
    const where = { id, userId, revokedAt: null, expiresAt: { gt: now } };
    return (await db.session.findFirst({ where, select: { id: true } })) ?? undefined;
  },

  /** A page of the user's live sessions, newest first. */
  async listLive(
    userId: string,
    now: Date,
    page: Page,
  ): Promise<{ items: Session[]; total: number }> {
    const where = { userId, revokedAt: null, expiresAt: { gt: now } };
    const items = await db.session.findMany({
      where,
      select: columns,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    });
    return { items, total: await db.session.count({ where }) };
  },
});
