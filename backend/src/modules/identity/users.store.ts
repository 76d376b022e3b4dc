import type { Db } from '../../platform/db/index.ts';
import type { User } from './identity.types.ts';

const columns = {
  id: true,
  phone: true,
  fullName: true,
  email: true,
  referralCode: true,
  providerUserId: true,
  mpinHash: true,
  blocked: true,
  deletedAt: true,
  createdAt: true,
} as const;

type Row = Omit<User, 'mpinSet'> & { readonly mpinHash: string | null };

const toUser = ({ mpinHash, ...user }: Row): User => ({ ...user, mpinSet: mpinHash !== null });

export interface NewUser {
  readonly id: string;
  readonly phone: string;
  readonly phoneHash: string;
  readonly referralCode: string;
  readonly createdAt: Date;
}

/** What a customer may change of their own profile. */
export interface ProfileChanges {
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
}

/** The rows of `app_user` and `deleted_phone`. No credential hash leaves this store. */
export const createUserStore = (db: Db) => ({
  async findById(id: string): Promise<User | undefined> {
    const [row] = await db.$queryRaw<Row[]>`
      SELECT id, phone, full_name AS "fullName", email, referral_code AS "referralCode",
        provider_user_id AS "providerUserId", mpin_hash AS "mpinHash", blocked,
        deleted_at AS "deletedAt", created_at AS "createdAt"
      FROM app_user WHERE id = ${id}::uuid`;
    return row === undefined ? undefined : toUser(row);
  },

  /** The user of `phone`, locked against other sign-ins until the transaction ends. */
  async lockByPhone(phone: string): Promise<User | undefined> {
    // NO KEY: orders and sessions that point to the user may still be inserted.
    await db.$queryRaw`SELECT id FROM app_user WHERE phone = ${phone} FOR NO KEY UPDATE`;
    const row = await db.user.findUnique({ where: { phone }, select: columns });
    return row === null ? undefined : toUser(row);
  },

  /** False when the phone or the referral code is taken; the transaction goes on. */
  async insert(user: NewUser): Promise<boolean> {
    const { count } = await db.user.createMany({
      data: [{ ...user, updatedAt: user.createdAt }],
      skipDuplicates: true,
    });
    return count === 1;
  },

  /** The phone of a customer who may use the service; undefined for anybody else. */
  async findActivePhone(id: string): Promise<string | undefined> {
    const [row] = await db.$queryRaw<{ phone: string }[]>`
      SELECT phone FROM app_user
      WHERE id = ${id}::uuid AND NOT blocked AND deleted_at IS NULL`;
    return row?.phone;
  },

  /** True while a deleted account's number may not open a new one. */
  async isCoolingDown(phoneHash: string, now: Date): Promise<boolean> {
    const where = { phoneHash, until: { gt: now } };
    return (await db.deletedPhone.findFirst({ where, select: { phoneHash: true } })) !== null;
  },

  async setProviderUserId(id: string, providerUserId: string, at: Date): Promise<boolean> {
    const data = { providerUserId, updatedAt: at };
    return (await db.user.updateMany({ where: { id }, data })).count === 1;
  },

  /** Changes what is named, of a customer who may use the service; false for anybody else. */
  async updateProfile(id: string, changes: ProfileChanges, at: Date): Promise<boolean> {
    const where = { id, blocked: false, deletedAt: null };
    const { fullName, email } = changes;
    const data = {
      updatedAt: at,
      ...(fullName !== undefined && { fullName }),
      ...(email !== undefined && { email }),
    };
    return (await db.user.updateMany({ where, data })).count === 1;
  },
});
