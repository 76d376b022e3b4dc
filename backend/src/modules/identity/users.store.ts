import {
  readAlone,
  readOf,
  selectOne,
  selectRows,
  sql,
  type Db,
  type Read,
} from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { isActive, type ActiveUser, type User } from './identity.types.ts';

/*
 * The rows of `app_user` and `deleted_phone`. No credential hash leaves this file. Other stores of
 * this module read and set the hashes of MPINs. The reads of every request and of every purchase
 * are raw SQL, because Prisma takes longer to build such a query than the query takes
 * (benchmarks.md).
 */

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

interface NewUser {
  readonly id: string;
  readonly phone: string;
  readonly phoneHash: string;
  /** The id of the key that the hash was made with. */
  readonly phoneHashKey: string;
  readonly referralCode: string;
  readonly createdAt: Date;
}

/** The profile fields that a customer may change. */
interface ProfileChanges {
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
}

/** Returns a customer, including a blocked or deleted one, or undefined for an unknown id. */
export const findUser = async (db: Db, id: string): Promise<User | undefined> => {
  const row = await selectOne<Row>(
    db,
    sql`
      SELECT id, phone, full_name AS "fullName", email, referral_code AS "referralCode",
        provider_user_id AS "providerUserId", mpin_hash AS "mpinHash", blocked,
        deleted_at AS "deletedAt", created_at AS "createdAt"
      FROM app_user WHERE id = ${id}::uuid`,
  );
  return row === undefined ? undefined : toUser(row);
};

/** Reads the gold provider's id of a customer, or null if the provider has none. */
export const readProviderUserId = (id: string): Read<string | null> =>
  readOf(
    sql`SELECT provider_user_id AS "providerUserId" FROM app_user WHERE id = ${id}::uuid`,
    (row: Pick<User, 'providerUserId'> | undefined) => row?.providerUserId ?? null,
  );

/**
 * Returns the phone of a customer who may use the service, or undefined for any other. For a
 * customer who was blocked before, it also checks the session, so that an older token stays invalid
 * without the cache.
 */
export const findActivePhone = async (
  db: Db,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<string | undefined> => {
  const row = await selectOne<{ phone: string }>(
    db,
    sql`
      SELECT phone FROM app_user
      WHERE id = ${userId}::uuid AND NOT blocked AND deleted_at IS NULL
        AND (blocked_at IS NULL OR NOT EXISTS (
          SELECT FROM session WHERE id = ${sessionId}::uuid AND revoked_reason = 'blocked'))`,
  );
  return row?.phone;
};

/** Returns the time of an account's deletion. Returns undefined if it is not deleted or unknown. */
export const findDeletedAt = async (db: Db, id: string): Promise<Date | undefined> =>
  (await db.user.findUnique({ where: { id }, select: { deletedAt: true } }))?.deletedAt ??
  undefined;

/**
 * Returns true for a customer who is not deleted. Within a transaction, it also locks the customer
 * against deletion until the transaction ends.
 */
export const isStillCustomer = (db: Db, id: string): Promise<boolean> =>
  readAlone(db, readStillCustomer(id));

/** Makes the read of `isStillCustomer`, which can be joined with other reads in one statement. */
export const readStillCustomer = (id: string): Read<boolean> =>
  readOf(
    sql`SELECT is_customer(${id}::uuid) AS found`,
    (row: { readonly found: boolean } | undefined) => row?.found === true,
  );

/** Returns the id of the customer who has `phone`, even of a blocked one. */
export const findUserIdByPhone = async (db: Db, phone: string): Promise<string | undefined> =>
  (await db.user.findUnique({ where: { phone }, select: { id: true } }))?.id;

/** Returns true if the phone belongs to a customer who may use the service. */
export const hasActiveUser = async (db: Db, phone: string): Promise<boolean> => {
  const where = { phone, blocked: false, deletedAt: null };
  return (await db.user.findFirst({ where, select: { id: true } })) !== null;
};

/** Returns the id of the customer with this referral code, unless they are deleted. */
export const findUserByReferralCode = async (
  db: Db,
  referralCode: string,
): Promise<string | undefined> => {
  const where = { referralCode, deletedAt: null };
  return (await db.user.findFirst({ where, select: { id: true } }))?.id;
};

/**
 * Locks the user of `phone`, even a blocked one, against other sign-ins until the transaction ends.
 */
export const lockUserByPhone = async (tx: Db, phone: string): Promise<User | undefined> => {
  // The lock is FOR NO KEY UPDATE, so orders and sessions of the user can still be inserted.
  await selectRows(tx, sql`SELECT id FROM app_user WHERE phone = ${phone} FOR NO KEY UPDATE`);
  const row = await tx.user.findUnique({ where: { phone }, select: columns });
  return row === null ? undefined : toUser(row);
};

/**
 * Locks a customer who may use the service until the transaction ends. Returns undefined for
 * others.
 */
export const lockActiveUser = async (tx: Db, id: string): Promise<ActiveUser | undefined> => {
  await selectRows(tx, sql`SELECT id FROM app_user WHERE id = ${id}::uuid FOR NO KEY UPDATE`);
  const user = await findUser(tx, id);
  return user !== undefined && isActive(user) ? user : undefined;
};

/** Returns customers whose phone was hashed with another key than `keyId`. */
export const listOutdatedPhones = async (
  db: Db,
  keyId: string,
  limit: number,
): Promise<{ id: string; phone: string }[]> => {
  const rows = await db.user.findMany({
    where: {
      phone: { not: null },
      OR: [{ phoneHashKey: null }, { phoneHashKey: { not: keyId } }],
    },
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true, phone: true },
  });
  return rows.flatMap(({ id, phone }) => (phone === null ? [] : [{ id, phone }]));
};

/** Replaces the hash of a phone that the customer still has. */
export const updatePhoneHash = async (
  db: Db,
  { id, phone }: { readonly id: string; readonly phone: string },
  data: { readonly phoneHash: string; readonly phoneHashKey: string },
): Promise<void> => {
  await db.user.updateMany({ where: { id, phone }, data });
};

/**
 * Inserts a user. Returns false when the phone or referral code is taken, without ending the
 * transaction.
 */
export const insertUser = async (tx: Db, user: NewUser): Promise<boolean> => {
  const { count } = await tx.user.createMany({
    data: [{ ...user, updatedAt: user.createdAt }],
    skipDuplicates: true,
  });
  return count === 1;
};

/**
 * Returns true if an account with this phone was deleted so recently that the phone may not open a
 * new one. `hashes` are the phone's hashes by all known keys.
 */
export const isCoolingDown = async (
  db: Db,
  hashes: readonly string[],
  now: Date,
): Promise<boolean> => {
  const where = { phoneHash: { in: [...hashes] }, until: { gt: now } };
  return (await db.deletedPhone.findFirst({ where, select: { phoneHash: true } })) !== null;
};

/**
 * Stores the gold provider's id of a customer, at the business time `at`.
 * @throws a unique violation when another customer has this provider id.
 */
export const updateProviderUserId = async (
  tx: Db,
  id: string,
  providerUserId: string,
  at: Date,
): Promise<void> => {
  const data = { providerUserId, updatedAt: at };
  const { count } = await tx.user.updateMany({ where: { id }, data });
  invariant(count === 1, `customer ${id} is in the database`);
};

/** Changes the given fields. Returns false unless the customer may use the service. */
export const updateProfile = async (
  db: Db,
  id: string,
  changes: ProfileChanges,
  at: Date,
): Promise<boolean> => {
  const where = { id, blocked: false, deletedAt: null };
  const { fullName, email } = changes;
  const data = {
    updatedAt: at,
    ...(fullName !== undefined && { fullName }),
    ...(email !== undefined && { email }),
  };
  return (await db.user.updateMany({ where, data })).count === 1;
};
