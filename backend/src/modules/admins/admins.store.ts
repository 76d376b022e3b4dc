import type { Db } from '../../platform/db/index.ts';
import { adminRoles, type AdminRole } from './admins.types.ts';

export interface AdminRecord {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: AdminRole;
  readonly active: boolean;
  readonly createdAt: Date;
  readonly lastLoginAt?: Date | null;
  /** Null while the password is the first one. */
  readonly passwordChangedAt?: Date | null;
}

const roleOf = (text: string): AdminRole => {
  const role = adminRoles.find((known) => known === text);
  if (role === undefined) throw new Error(`unknown operator role ${text}`);
  return role;
};

/** The rows of `admin_user`. Emails are stored in lower case. */
export const createAdminStore = (db: Db) => ({
  async findByEmail(email: string): Promise<AdminRecord | undefined> {
    const row = await db.adminUser.findUnique({ where: { email } });
    return row === null ? undefined : { ...row, role: roleOf(row.role) };
  },

  async findById(id: string): Promise<AdminRecord | undefined> {
    const row = await db.adminUser.findUnique({ where: { id } });
    return row === null ? undefined : { ...row, role: roleOf(row.role) };
  },

  async insert(admin: AdminRecord): Promise<void> {
    await db.adminUser.create({ data: { ...admin, updatedAt: admin.createdAt } });
  },

  async touchLogin(id: string, at: Date): Promise<void> {
    await db.adminUser.update({ where: { id }, data: { lastLoginAt: at } });
  },

  /** All of them, oldest first. */
  async list(): Promise<AdminRecord[]> {
    const rows = await db.adminUser.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    return rows.map((row) => ({ ...row, role: roleOf(row.role) }));
  },

  /** Locks an operator until the transaction ends; undefined when there is none. */
  async lockByEmail(email: string): Promise<AdminRecord | undefined> {
    await db.$queryRaw`SELECT id FROM admin_user WHERE email = ${email} FOR UPDATE`;
    return this.findByEmail(email);
  },

  /** Locks the active super admins until the transaction ends, and answers who they are. */
  async lockActiveSuperAdmins(): Promise<string[]> {
    const rows = await db.$queryRaw<{ id: string }[]>`
      SELECT id FROM admin_user WHERE role = 'SUPER_ADMIN' AND active ORDER BY id FOR UPDATE`;
    return rows.map(({ id }) => id);
  },

  async change(
    id: string,
    change: Partial<Pick<AdminRecord, 'role' | 'active' | 'passwordHash' | 'passwordChangedAt'>>,
    updatedAt: Date,
  ): Promise<void> {
    await db.adminUser.update({ where: { id }, data: { ...change, updatedAt } });
  },

  async anyActiveSuperAdmin(): Promise<boolean> {
    const where = { role: 'SUPER_ADMIN', active: true };
    return (await db.adminUser.findFirst({ where, select: { id: true } })) !== null;
  },
});
