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

/* The rows of `portal_user`, whose emails are stored in lower case, and of `portal_session`. */

export const findPortalUserByEmail = async (
  db: Db,
  email: string,
): Promise<PortalUserRecord | undefined> => {
  const row = await db.portalUser.findUnique({ where: { email } });
  return row === null ? undefined : { ...row, role: roleOf(row.role) };
};

export const insertPortalUser = async (
  db: Db,
  user: Omit<PortalUserRecord, 'updatedAt' | 'lastLoginAt'>,
): Promise<void> => {
  await db.portalUser.create({
    data: { ...user, permissions: [...user.permissions], updatedAt: user.createdAt },
  });
};

/**
 * Records a sign-in, and keeps the user's row locked until the transaction ends: what ends the
 * sessions of a user locks it too. Undefined when the password that was verified is theirs no more,
 * or they were deactivated meanwhile.
 */
export const recordPortalLogin = async (
  tx: Db,
  { id, passwordHash }: Pick<PortalUserRecord, 'id' | 'passwordHash'>,
  at: Date,
): Promise<PortalUserRecord | undefined> => {
  const [row] = await tx.portalUser.updateManyAndReturn({
    where: { id, passwordHash, active: true },
    data: { lastLoginAt: at },
  });
  return row && { ...row, role: roleOf(row.role) };
};

export const insertPortalSession = async (
  db: Db,
  session: {
    readonly id: string;
    readonly portalUserId: string;
    readonly tokenHash: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  },
): Promise<void> => {
  await db.portalSession.create({ data: { ...session, lastUsedAt: session.createdAt } });
};

/** Returns the live session of a token with its user. */
export const findLivePortalSession = async (db: Db, tokenHash: string, at: Date) => {
  const row = await db.portalSession.findFirst({
    where: { tokenHash, revokedAt: null, expiresAt: { gt: at } },
    select: { id: true, portalUser: true },
  });
  if (row === null) return undefined;
  const { portalUser: user } = row;
  return { sessionId: row.id, user: { ...user, role: roleOf(user.role) } };
};

export const revokePortalSession = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.portalSession.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } });
};
