import { lockRow, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { adminRoles, type AdminRole } from './admins.types.ts';

export interface AdminRecord {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: AdminRole;
  readonly active: boolean;
  readonly createdAt: Date;
  readonly lastLoginAt?: Date | null;
  /** The time of the last change that ended the operator's sign-ins. Null before the first one. */
  readonly passwordChangedAt?: Date | null;
}

type AdminRow = Omit<AdminRecord, 'role'> & { readonly role: string; readonly lastLoginAt: Date };

const roleOf = (text: string): AdminRole => {
  const role = adminRoles.find((known) => known === text);
  invariant(role, `${text} is an operator's role`);
  return role;
};

/* The rows of `admin_user`. Emails are stored in lower case. */

export const findAdminByEmail = async (db: Db, email: string): Promise<AdminRecord | undefined> => {
  const row = await db.adminUser.findUnique({ where: { email } });
  return row === null ? undefined : { ...row, role: roleOf(row.role) };
};

export const findAdmin = async (db: Db, id: string): Promise<AdminRecord | undefined> => {
  const row = await db.adminUser.findUnique({ where: { id } });
  return row === null ? undefined : { ...row, role: roleOf(row.role) };
};

export const insertAdmin = async (db: Db, admin: AdminRecord): Promise<void> => {
  await db.adminUser.create({ data: { ...admin, updatedAt: admin.createdAt } });
};

/**
 * Records a sign-in and returns the operator as the same statement finds them. Returns undefined if
 * the verified password was replaced or the operator was deactivated meanwhile. `lastLoginAt` is
 * the time of issue of the token: `at`, or at least the next whole second after the last change.
 */
export const recordAdminLogin = async (
  db: Db,
  { id, passwordHash }: Pick<AdminRecord, 'id' | 'passwordHash'>,
  at: Date,
): Promise<(AdminRecord & { readonly lastLoginAt: Date }) | undefined> => {
  const row = await selectOne<AdminRow>(
    db,
    sql`
      UPDATE admin_user SET last_login_at = greatest(
        ${at}::timestamptz, last_login_at, date_trunc('second', password_changed_at) + '1 second')
      WHERE id = ${id}::uuid AND password_hash = ${passwordHash} AND active
      RETURNING id, email, password_hash AS "passwordHash", role, active,
        created_at AS "createdAt", last_login_at AS "lastLoginAt",
        password_changed_at AS "passwordChangedAt"`,
  );
  return row && { ...row, role: roleOf(row.role) };
};

/** Returns all operators, oldest first. */
export const listAdmins = async (db: Db): Promise<AdminRecord[]> => {
  const rows = await db.adminUser.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return rows.map((row) => ({ ...row, role: roleOf(row.role) }));
};

/** Locks an operator until the transaction ends. Returns undefined if there is none. */
export const lockAdminByEmail = async (tx: Db, email: string): Promise<AdminRecord | undefined> => {
  await selectRows(tx, sql`SELECT id FROM admin_user WHERE email = ${email} FOR UPDATE`);
  return findAdminByEmail(tx, email);
};

/** Locks an operator until the transaction ends. Returns undefined if there is none. */
export const lockAdminById = async (tx: Db, id: string): Promise<AdminRecord | undefined> => {
  await lockRow(tx, 'admin_user', id);
  return findAdmin(tx, id);
};

/** Locks the active super admins until the transaction ends, and returns their ids. */
export const lockActiveSuperAdmins = async (tx: Db): Promise<string[]> => {
  const rows = await selectRows<{ id: string }>(
    tx,
    sql`SELECT id FROM admin_user WHERE role = 'SUPER_ADMIN' AND active ORDER BY id FOR UPDATE`,
  );
  return rows.map(({ id }) => id);
};

export const updateAdmin = async (
  tx: Db,
  id: string,
  change: Partial<Pick<AdminRecord, 'role' | 'active' | 'passwordHash' | 'passwordChangedAt'>>,
  updatedAt: Date,
): Promise<void> => {
  await tx.adminUser.update({ where: { id }, data: { ...change, updatedAt } });
};

export const hasActiveSuperAdmin = async (db: Db): Promise<boolean> => {
  const where = { role: 'SUPER_ADMIN', active: true };
  return (await db.adminUser.findFirst({ where, select: { id: true } })) !== null;
};
