import type { Db } from '../../platform/db/index.ts';
import { portalRoles, type PortalRole } from './permissions.ts';

export interface PortalUserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly permissions: readonly string[];
  readonly passwordHash: string;
  readonly active: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastLoginAt: Date | null;
}

const roleOf = (text: string): PortalRole => {
  const role = portalRoles.find((known) => known === text);
  if (role === undefined) throw new Error(`unknown portal role ${text}`);
  return role;
};

/** The rows of `portal_user`. Emails are stored in lower case. */
export const createPortalUserStore = (db: Db) => ({
  async findByEmail(email: string): Promise<PortalUserRecord | undefined> {
    const row = await db.portalUser.findUnique({ where: { email } });
    return row === null ? undefined : { ...row, role: roleOf(row.role) };
  },

  async insert(user: Omit<PortalUserRecord, 'updatedAt' | 'lastLoginAt'>): Promise<void> {
    await db.portalUser.create({
      data: { ...user, permissions: [...user.permissions], updatedAt: user.createdAt },
    });
  },

  async touchLogin(id: string, at: Date): Promise<void> {
    await db.portalUser.update({ where: { id }, data: { lastLoginAt: at } });
  },
});

/** The rows of `portal_session`. */
export const createPortalSessionStore = (db: Db) => ({
  async insert(session: {
    readonly id: string;
    readonly portalUserId: string;
    readonly tokenHash: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }): Promise<void> {
    await db.portalSession.create({ data: { ...session, lastUsedAt: session.createdAt } });
  },

  /** The live session of a token and its user, read anew on every request. */
  async findLive(tokenHash: string, at: Date) {
    const row = await db.portalSession.findFirst({
      where: { tokenHash, revokedAt: null, expiresAt: { gt: at } },
      select: { id: true, portalUser: true },
    });
    if (row === null) return undefined;
    const { portalUser: user } = row;
    return { sessionId: row.id, user: { ...user, role: roleOf(user.role) } };
  },

  async revoke(id: string, at: Date): Promise<void> {
    await db.portalSession.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } });
  },
});
