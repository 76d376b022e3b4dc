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

/** Locks an account until the transaction ends. The caller has locked the customer's holding first. */
export const lockAccount = async (tx: Db, id: string): Promise<BankAccount | undefined> =>
  (await lockRow(tx, 'bank_account', id)) ? findAccount(tx, id) : undefined;

/** Locks an account against changes until the transaction ends. Several transactions may share the lock. */
const lockAccountShared = async (tx: Db, id: string): Promise<BankAccount | undefined> => {
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

/** Counts the customer's accounts. Under the holding's lock the count includes concurrent inserts. */
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

/** Returns true if the customer already has the account. The caller has locked the holding. */
export const hasAccount = async (
  tx: Db,
  { userId, ifsc }: Pick<NewBankAccount, 'userId' | 'ifsc'>,
  hashes: readonly string[],
): Promise<boolean> =>
  (await tx.bankAccount.count({
    where: { userId, ifsc, numberHash: { in: [...hashes] }, deletedAt: null },
  })) > 0;

/** Lists accounts whose number was not hashed with the key `keyId`, ordered by id. */
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

/** Inserts a PENDING account. The caller also inserts and enqueues its first validation. */
export const insertAccount = async (tx: Db, account: NewBankAccount): Promise<void> => {
  const { createdAt } = account;
  await tx.bankAccount.create({
    data: { ...account, status: 'PENDING', validationAttempt: 1, updatedAt: createdAt },
  });
};

/** Makes an account the customer's only primary account. The caller has locked the holding. */
export const markPrimary = async (
  tx: Db,
  { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
  now: Date,
): Promise<void> => {
  await tx.bankAccount.updateMany({
    where: { userId, isPrimary: true, NOT: { id } },
    data: { isPrimary: false, updatedAt: now },
  });
  await tx.bankAccount.updateMany({
    where: { id, deletedAt: null },
    data: { isPrimary: true, updatedAt: now },
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

/** Marks an account as deleted. The row stays, because earlier payouts refer to it. */
export const markDeleted = async (tx: Db, id: string, now: Date): Promise<void> => {
  await tx.bankAccount.updateMany({
    where: { id, deletedAt: null },
    data: { deletedAt: now, isPrimary: false, primaryWanted: false, updatedAt: now },
  });
};

/**
 * Marks every bank account of a customer as deleted and erases its number and names, in the transaction
 * that deletes the customer. The last four digits stay, because earlier payouts show them.
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
 * Returns the id of an account's fund account at the provider, or undefined before the first payout.
 */
export const findFundAccountId = async (db: Db, id: string): Promise<string | undefined> => {
  const row = await db.bankAccount.findUnique({
    where: { id },
    select: { providerFundAccountId: true },
  });
  return row?.providerFundAccountId ?? undefined;
};

/** The columns of an account that decide whether payouts to it are held. */
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

/** Stores the fund account at the provider. Returns false if another process has already stored one. */
export const updateFundAccount = async (
  db: Db,
  id: string,
  { contactId, fundAccountId }: FundAccount,
  now: Date,
): Promise<boolean> => {
  const { count } = await db.bankAccount.updateMany({
    where: { id, providerFundAccountId: null },
    data: {
      providerContactId: contactId,
      providerFundAccountId: fundAccountId,
      updatedAt: now,
    },
  });
  return count === 1;
};

type AccountUse = Pick<BankAccount, 'userId' | 'status'> & {
  /** The time of deletion in any form, or null. */
  readonly deletedAt: unknown;
};

/**
 * Requires an account to which a sale can be paid.
 * @throws AppError NOT_FOUND, BANK_ACCOUNT_NOT_VERIFIED, as `lockUsableAccount` does
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
 * Declares the read of the columns that decide whether an account may be paid to. It does not lock the
 * account, so the result serves only for an early check.
 */
export const readAccountUse = (id: string): Read<AccountUse | undefined> =>
  readOf(
    sql`
      SELECT user_id AS "userId", status, deleted_at AS "deletedAt"
      FROM bank_account WHERE id = ${id}::uuid`,
    (row: AccountUse | undefined) => row,
  );

/**
 * Locks a customer's own verified account until the transaction ends, so that the account can't be
 * deleted while an order that pays to it is written. A caller that also locks the holding must lock the
 * holding first. Errors name `field`, which is the request's field for the account.
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

interface PayoutAccount {
  readonly userId: string;
  /** True if the account is verified and not deleted, so that it may be paid to. */
  readonly isUsable: boolean;
}

/** Locks an account until the transaction ends, and returns its customer and whether it is usable. */
export const lockPayoutAccount = async (
  tx: Db,
  bankAccountId: string,
): Promise<PayoutAccount | undefined> => {
  const account = await lockAccountShared(tx, bankAccountId);
  if (account === undefined) return undefined;
  const isUsable = account.status === 'VERIFIED' && account.deletedAt === null;
  return { userId: account.userId, isUsable };
};
