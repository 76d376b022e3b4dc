import type { Prisma } from '../../generated/prisma/client.ts';
import type { FundAccount } from '../../adapters/payout-provider/port.ts';
import { lockRow, readOf, selectOne, sql, type Db, type Read } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { firstId } from '../../platform/ids/first-id.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { BankAccount, BankAccountStatus } from './banking.types.ts';

type Row = Prisma.BankAccountGetPayload<object>;

const toAccount = (row: Row | null): BankAccount | undefined =>
  // The database checks the status.
  row === null ? undefined : { ...row, status: row.status as BankAccountStatus };

export const findAccount = async (db: Db, id: string): Promise<BankAccount | undefined> =>
  toAccount(await db.bankAccount.findUnique({ where: { id } }));

/** Returns an account of this customer that is not deleted. */
export const findOwnAccount = async (
  db: Db,
  id: string,
  userId: string,
): Promise<BankAccount | undefined> =>
  toAccount(await db.bankAccount.findFirst({ where: { id, userId, deletedAt: null } }));

export const findAccountByValidation = async (
  db: Db,
  provider: string,
  providerValidationId: string,
): Promise<BankAccount | undefined> =>
  toAccount(await db.bankAccount.findFirst({ where: { provider, providerValidationId } }));

/** Locks the row until the transaction ends. The customer's holding is locked before. */
export const lockAccount = async (tx: Db, id: string): Promise<BankAccount | undefined> =>
  (await lockRow(tx, 'bank_account', id)) ? findAccount(tx, id) : undefined;

/** Locks the row against changes, but not against others that use it in the same way. */
const lockAccountForUse = async (tx: Db, id: string): Promise<BankAccount | undefined> => {
  const row = await selectOne(
    tx,
    sql`SELECT id FROM bank_account WHERE id = ${id}::uuid FOR SHARE`,
  );
  return row === undefined ? undefined : findAccount(tx, id);
};

/** Returns a page of the customer's accounts, newest first. */
export const listAccounts = async (
  db: Db,
  userId: string,
  page: Page,
): Promise<{ rows: BankAccount[]; total: number }> => {
  const where = { userId, deletedAt: null };
  const [rows, total] = await Promise.all([
    db.bankAccount.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.bankAccount.count({ where }),
  ]);
  return { rows: rows.flatMap((row) => toAccount(row) ?? []), total };
};

/** Counts the customer's accounts. The count is final only under the holding's lock. */
export const countAccounts = (db: Db, userId: string): Promise<number> =>
  db.bankAccount.count({ where: { userId, deletedAt: null } });

interface NewBankAccount {
  readonly id: string;
  readonly userId: string;
  readonly numberSealed: string;
  readonly numberHash: string;
  readonly numberHashKey: string;
  readonly accountLast4: string;
  readonly ifsc: string;
  readonly holderNameSealed: string;
  readonly provider: string;
  readonly primaryWanted: boolean;
  readonly createdAt: Date;
}

/** Returns true for an account that the customer, whose holding is locked, has already. */
export const hasAccount = async (
  tx: Db,
  { userId, ifsc }: Pick<NewBankAccount, 'userId' | 'ifsc'>,
  hashes: readonly string[],
): Promise<boolean> =>
  (await tx.bankAccount.count({
    where: { userId, ifsc, numberHash: { in: [...hashes] }, deletedAt: null },
  })) > 0;

/** Returns accounts whose number was hashed with another key than the one of id `keyId`. */
export const listOutdatedNumbers = (
  db: Db,
  keyId: string,
  { after = firstId, limit }: { readonly after: string | undefined; readonly limit: number },
) =>
  db.bankAccount.findMany({
    where: {
      id: { gt: after },
      deletedAt: null,
      OR: [{ numberHashKey: null }, { numberHashKey: { not: keyId } }],
    },
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true, userId: true, numberSealed: true },
  });

export const updateNumberHash = async (
  db: Db,
  id: string,
  data: { readonly numberHash?: string; readonly numberHashKey: string },
): Promise<void> => {
  await db.bankAccount.updateMany({ where: { id }, data });
};

/** Inserts an account, PENDING, whose first validation is to be started. */
export const insertAccount = async (tx: Db, account: NewBankAccount): Promise<void> => {
  const { createdAt } = account;
  await tx.bankAccount.create({
    data: { ...account, status: 'PENDING', validationAttempt: 1, updatedAt: createdAt },
  });
};

/** Marks it as the one primary account of the customer, whose holding is locked. */
export const markPrimary = async (
  tx: Db,
  { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
  at: Date,
): Promise<void> => {
  await tx.bankAccount.updateMany({
    where: { userId, isPrimary: true, NOT: { id } },
    data: { isPrimary: false, updatedAt: at },
  });
  await tx.bankAccount.updateMany({
    where: { id, deletedAt: null },
    data: { isPrimary: true, updatedAt: at },
  });
};

export const hasPrimary = async (db: Db, userId: string): Promise<boolean> =>
  (await db.bankAccount.count({ where: { userId, isPrimary: true, deletedAt: null } })) > 0;

/** Returns the customer's account that has been verified longest. */
export const findOldestVerified = async (
  db: Db,
  userId: string,
): Promise<BankAccount | undefined> =>
  toAccount(
    await db.bankAccount.findFirst({
      where: { userId, status: 'VERIFIED', deletedAt: null },
      orderBy: [{ verifiedAt: 'asc' }, { id: 'asc' }],
    }),
  );

/** Marks an account deleted. The row stays, for the payouts that went there. */
export const markDeleted = async (tx: Db, id: string, at: Date): Promise<void> => {
  await tx.bankAccount.updateMany({
    where: { id, deletedAt: null },
    data: { deletedAt: at, isPrimary: false, primaryWanted: false, updatedAt: at },
  });
};

/**
 * Marks every account of a customer deleted and erases its number and names, in the transaction
 * that deletes their account. The last four digits stay, for the payouts that went there.
 */
export const eraseAccounts = async (
  tx: Db,
  { userId, at }: { readonly userId: string; readonly at: Date },
): Promise<void> => {
  await tx.bankAccount.updateMany({
    where: { userId, deletedAt: null },
    data: { deletedAt: at, isPrimary: false, primaryWanted: false, updatedAt: at },
  });
  await tx.bankAccount.updateMany({
    where: { userId },
    data: {
      numberSealed: '',
      numberHash: '',
      numberHashKey: null,
      holderNameSealed: '',
      registeredNameSealed: null,
      failureReason: null,
    },
  });
};

/**
 * Returns the provider's id of where payouts to the account go, or undefined before the first one.
 */
export const findFundAccountId = async (db: Db, id: string): Promise<string | undefined> => {
  const row = await db.bankAccount.findUnique({
    where: { id },
    select: { providerFundAccountId: true },
  });
  return row?.providerFundAccountId ?? undefined;
};

/** The facts of an account that decide whether a payout to it is held. */
export interface Payee {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  /** The provider's name match score, 0 to 100, or null if the validation had none. */
  readonly nameMatchScore: number | null;
  /** The account holder's name at the bank, sealed, or null if the validation had none. */
  readonly registeredNameSealed: string | null;
}

export const findPayee = async (db: Db, id: string): Promise<Payee | undefined> => {
  const select = {
    id: true,
    userId: true,
    createdAt: true,
    nameMatchScore: true,
    registeredNameSealed: true,
  };
  return (await db.bankAccount.findUnique({ where: { id }, select })) ?? undefined;
};

/** Stores where payouts go. Returns false when another process was quicker. */
export const updateFundAccount = async (
  db: Db,
  id: string,
  { contactId, fundAccountId }: FundAccount,
  at: Date,
): Promise<boolean> => {
  const { count } = await db.bankAccount.updateMany({
    where: { id, providerFundAccountId: null },
    data: {
      providerContactId: contactId,
      providerFundAccountId: fundAccountId,
      updatedAt: at,
    },
  });
  return count === 1;
};

type AccountUse = Pick<BankAccount, 'userId' | 'status'> & {
  /** The time of deletion in any form, or null. */
  readonly deletedAt: unknown;
};

/**
 * Refuses an account that a sale could not be paid to.
 * @throws AppError as `lockUsableAccount`
 */
export const requireUsableAccount = (
  account: AccountUse | undefined,
  userId: string,
  field = 'bank_account_id',
): void => {
  if (account === undefined || account.userId !== userId || account.deletedAt !== null) {
    throw new AppError('NOT_FOUND', { message: 'There is no such bank account.', field });
  }
  if (account.status !== 'VERIFIED') throw new AppError('BANK_ACCOUNT_NOT_VERIFIED', { field });
};

/**
 * Reads the columns that decide whether an account may be paid to. It is an early check without a
 * lock.
 */
export const readAccountUse = (id: string): Read<AccountUse | undefined> =>
  readOf(
    sql`
      SELECT user_id AS "userId", status, deleted_at AS "deletedAt"
      FROM bank_account WHERE id = ${id}::uuid`,
    (row: AccountUse | undefined) => row,
  );

/**
 * Locks a customer's own verified account until the transaction ends, so that it can't be deleted
 * while an order is written that pays to it. The holding, if the caller locks it, must be locked
 * first. `field` is the request's name of the account.
 * @throws AppError NOT_FOUND if the account is unknown, deleted or another customer's, and
 *   BANK_ACCOUNT_NOT_VERIFIED if it is not VERIFIED.
 */
export const lockUsableAccount = async (
  db: Db,
  userId: string,
  bankAccountId: string,
  field = 'bank_account_id',
): Promise<{ readonly id: string; readonly status: 'VERIFIED' }> => {
  const { query, parse } = readAccountUse(bankAccountId);
  requireUsableAccount(parse(await selectOne(db, sql`${query} FOR SHARE`)), userId, field);
  return { id: bankAccountId, status: 'VERIFIED' };
};

interface AccountStanding {
  readonly userId: string;
  /** True if the account is verified and not deleted, so that it may be paid to. */
  readonly isUsable: boolean;
}

/** Locks an account until the transaction ends and returns whether it may be paid to. */
export const lockPayoutAccount = async (
  tx: Db,
  bankAccountId: string,
): Promise<AccountStanding | undefined> => {
  const account = await lockAccountForUse(tx, bankAccountId);
  if (account === undefined) return undefined;
  const isUsable = account.status === 'VERIFIED' && account.deletedAt === null;
  return { userId: account.userId, isUsable };
};
