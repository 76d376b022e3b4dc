import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
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
  invariant(role, `${text} is a portal user's role`);
  return role;
};

/* The tables are `portal_user`, which stores emails in lower case, and `portal_session`. */

export const findPortalUserByEmail = async (
  db: Db,
  email: string,
): Promise<PortalUserRecord | undefined> => {
  const row = await db.portalUser.findUnique({ where: { email } });
  return row === null ? undefined : { ...row, role: roleOf(row.role) };
};

export const findPortalUser = async (db: Db, id: string): Promise<PortalUserRecord | undefined> => {
  const row = await db.portalUser.findUnique({ where: { id } });
  return row === null ? undefined : { ...row, role: roleOf(row.role) };
};

interface PortalUserFilter {
  readonly role?: PortalRole | undefined;
  readonly active?: boolean | undefined;
  /** A part of the email or the name. */
  readonly q?: string | undefined;
}

/** Returns a page of the portal users that match, newest first, and their total number. */
export const listPortalUsers = async (db: Db, filter: PortalUserFilter, page: Page) => {
  const { role, active, q } = filter;
  const containsQ = { contains: q ?? '', mode: 'insensitive' } as const;
  const where = {
    ...(role !== undefined && { role }),
    ...(active !== undefined && { active }),
    ...(q !== undefined && { OR: [{ email: containsQ }, { name: containsQ }] }),
  };
  const [rows, total] = await Promise.all([
    db.portalUser.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.portalUser.count({ where }),
  ]);
  return { rows: rows.map((row) => ({ ...row, role: roleOf(row.role) })), total };
};

/** Locks the active super admins until the transaction ends, and returns them. */
export const lockActiveSuperAdmins = (
  tx: Db,
): Promise<Pick<PortalUserRecord, 'id' | 'role' | 'active' | 'permissions'>[]> =>
  selectRows(
    tx,
    sql`
      SELECT id, role, active, permissions FROM portal_user
      WHERE role = 'super_admin' AND active ORDER BY id FOR UPDATE`,
  );

/** Locks a portal user until the transaction ends. Returns undefined if the user is unknown. */
export const lockPortalUser = async (
  tx: Db,
  key: { readonly id: string } | { readonly email: string },
): Promise<PortalUserRecord | undefined> => {
  const condition = 'id' in key ? sql`id = ${key.id}::uuid` : sql`email = ${key.email}`;
  const [locked] = await selectRows<{ id: string }>(
    tx,
    sql`SELECT id FROM portal_user WHERE ${condition} FOR UPDATE`,
  );
  return locked && findPortalUser(tx, locked.id);
};

export type PortalUserChange = Partial<
  Pick<PortalUserRecord, 'email' | 'name' | 'role' | 'active' | 'permissions' | 'passwordHash'>
>;

/** Updates a user and returns the updated record. */
export const updatePortalUser = async (
  tx: Db,
  id: string,
  { permissions, ...change }: PortalUserChange,
  updatedAt: Date,
): Promise<PortalUserRecord> => {
  const data = {
    ...change,
    ...(permissions !== undefined && { permissions: [...permissions] }),
    updatedAt,
  };
  const row = await tx.portalUser.update({ where: { id }, data });
  return { ...row, role: roleOf(row.role) };
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
 * Records a sign-in. The update locks the user's row until the transaction ends. The functions that
 * end a user's sessions lock it too, so they also end the new session. Returns undefined if the
 * verified password has changed, or the user was deactivated, in the meantime.
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

/** Returns the session of a token with its user, unless the session has expired or was revoked. */
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

/**
 * Ends every session of a user except `exceptId`. The caller must have locked the user's row, so that
 * no session opens in the meantime.
 */
export const revokePortalSessions = async (
  tx: Db,
  portalUserId: string,
  at: Date,
  exceptId?: string,
): Promise<void> => {
  await tx.portalSession.updateMany({
    where: {
      portalUserId,
      revokedAt: null,
      ...(exceptId !== undefined && { id: { not: exceptId } }),
    },
    data: { revokedAt: at },
  });
};
