import type { Sealer } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Page } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { lockHolding } from '../holdings/index.ts';
import { recordSecurityEvent } from '../security-events/index.ts';
import { hashesOfNumber, openHolderName, sealDetails } from './bank-account-sealing.ts';
import {
  countAccounts,
  findOldestVerified,
  findOwnAccount,
  hasAccount,
  insertAccount,
  listAccounts as listAccountRows,
  lockAccount,
  markPrimary,
  markDeleted,
} from './bank-accounts.store.ts';
import { notifyAdded } from './banking.notifications.ts';
import { validationJob } from './banking.jobs.ts';
import type { AddAccountInput, BankAccountView } from './banking.schemas.ts';
import { transitionAccount } from './banking.states.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';
import { insertValidation } from './account-validations.store.ts';

/** The customer and the IP address of a request. */
interface Requester {
  readonly userId: string;
  readonly ip: string;
}

const presentAccount = (account: BankAccount, sealer: Sealer): BankAccountView => ({
  id: account.id,
  accountLast4: account.accountLast4,
  ifsc: account.ifsc,
  holderName: openHolderName(sealer, account),
  status: account.status,
  primary: account.isPrimary,
  nameMatchScore: account.nameMatchScore,
  createdAt: account.createdAt.toISOString(),
});

const readView = async (
  { vault }: BankingDeps,
  db: Db,
  id: string,
  userId: string,
): Promise<BankAccountView> => {
  const account = await findOwnAccount(db, id, userId);
  invariant(account, 'an account that the transaction has locked or inserted exists');
  return presentAccount(account, await vault.forUser(db, userId));
};

/** Locks the customer's holding, then the account. @throws AppError NOT_FOUND */
const lockOwnAccount = async (tx: Db, userId: string, id: string): Promise<BankAccount> => {
  await lockHolding(tx, userId);
  const account = await lockAccount(tx, id);
  if (account === undefined || account.userId !== userId || account.deletedAt !== null) {
    throw new AppError('NOT_FOUND');
  }
  return account;
};

/** Returns a page of the customer's accounts, newest first, with their holders' names. */
export const listAccounts = async (
  { db, vault }: Pick<BankingDeps, 'db' | 'vault'>,
  userId: string,
  page: Page,
) => {
  const { rows, total } = await listAccountRows(db, userId, page);
  // A deleted customer has no accounts, and the key is destroyed, so it must not be read.
  if (rows.length === 0) return { items: [], total, ...page };
  const sealer = await vault.forUser(db, userId);
  return { items: rows.map((row) => presentAccount(row, sealer)), total, ...page };
};

const insertOwnAccount = async (
  deps: BankingDeps,
  tx: Db,
  { userId, ip }: Requester,
  { accountNumber, holderName, ifsc, primary = false }: AddAccountInput,
): Promise<string> => {
  const { clock, random, vault, blindIndex, provider, notify } = deps;
  // The unique index compares hashes by one key only. This check compares hashes by every key, and the
  // holding's lock serialises it.
  if (await hasAccount(tx, { userId, ifsc }, hashesOfNumber(accountNumber, blindIndex))) {
    throw new AppError('BANK_ACCOUNT_DUPLICATE', { field: 'accountNumber' });
  }
  const sealer = await vault.forUser(tx, userId);
  const id = random.uuid();
  await insertAccount(tx, {
    id,
    userId,
    ...sealDetails({ accountNumber, holderName }, id, { sealer, blindIndex }),
    ifsc,
    provider: provider.code,
    primaryWanted: primary,
    createdAt: clock.now(),
  });
  await insertValidation(deps, tx, { bankAccountId: id, attempt: 1, userId });
  await enqueue(tx, validationJob(id));
  await recordSecurityEvent(tx, deps, { userId, kind: 'bank_account_added', ip });
  await notifyAdded(tx, notify, { id, userId, accountNumber });
  return id;
};

/** The maximum number of accounts of a customer (contract: payouts > Bank accounts). */
const maxAccounts = 5;

/**
 * Adds a PENDING account and queues its validation in the same transaction.
 * @throws AppError BANK_ACCOUNT_LIMIT, VALIDATION_LIMIT, and BANK_ACCOUNT_DUPLICATE if the customer
 *   already has the account
 */
export const addAccount = async (
  deps: BankingDeps,
  requester: Requester,
  input: AddAccountInput,
): Promise<BankAccountView> => {
  const { userId } = requester;
  try {
    return await deps.inTransaction(async (tx) => {
      await lockHolding(tx, userId);
      if ((await countAccounts(tx, userId)) >= maxAccounts) {
        deps.metrics.countBoundReached('bank_accounts');
        throw new AppError('BANK_ACCOUNT_LIMIT', { details: { most: maxAccounts } });
      }
      return readView(deps, tx, await insertOwnAccount(deps, tx, requester, input), userId);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // The error is not passed as the cause, because no data of the row may be logged.
    throw new AppError('BANK_ACCOUNT_DUPLICATE', { field: 'accountNumber' });
  }
};

/** Makes a verified account the primary account. @throws AppError NOT_FOUND, BANK_ACCOUNT_NOT_VERIFIED */
export const choosePrimaryAccount = (
  deps: BankingDeps,
  userId: string,
  id: string,
): Promise<BankAccountView> =>
  deps.inTransaction(async (tx) => {
    const account = await lockOwnAccount(tx, userId, id);
    if (account.status !== 'VERIFIED') throw new AppError('BANK_ACCOUNT_NOT_VERIFIED');
    await markPrimary(tx, account, deps.clock.now());
    return readView(deps, tx, id, userId);
  });

/**
 * Deletes an account. If it was the primary account, the account that was verified first becomes
 * primary.
 * @throws AppError NOT_FOUND, BANK_ACCOUNT_IN_USE
 */
export const removeAccount = (
  deps: BankingDeps,
  { userId, ip }: Requester,
  id: string,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const account = await lockOwnAccount(tx, userId, id);
    if (await deps.isAccountInUse(tx, id)) throw new AppError('BANK_ACCOUNT_IN_USE');
    const now = deps.clock.now();
    await markDeleted(tx, id, now);
    await recordSecurityEvent(tx, deps, { userId, kind: 'bank_account_removed', ip });
    if (!account.isPrimary) return;
    const nextPrimary = await findOldestVerified(tx, userId);
    if (nextPrimary !== undefined) await markPrimary(tx, nextPrimary, now);
  });

/**
 * Queues a further validation of a FAILED account, or a query of the open validation of a PENDING
 * account. If the customer has caused too many queries, no job is queued, and the sweep queries the
 * validation later.
 * @throws AppError NOT_FOUND, VALIDATION_LIMIT, and ILLEGAL_TRANSITION for a VERIFIED account
 */
export const verifyAccountAgain = (
  deps: BankingDeps,
  userId: string,
  id: string,
): Promise<BankAccountView> =>
  deps.inTransaction(async (tx) => {
    const account = await lockOwnAccount(tx, userId, id);
    if (account.status === 'VERIFIED') {
      throw new AppError('ILLEGAL_TRANSITION', { message: 'This account is already verified.' });
    }
    if (account.status === 'FAILED') {
      const attempt = account.validationAttempt + 1;
      await insertValidation(deps, tx, { bankAccountId: id, attempt, userId });
      await transitionAccount(deps, tx, account, {
        to: 'PENDING',
        actor: `customer:${userId}`,
        cause: 'validation.requested',
        now: deps.clock.now(),
        changes: {
          validationAttempt: attempt,
          providerValidationId: null,
          validationRequestedAt: null,
          validationHolderId: null,
          validationLeaseUntil: null,
          failureReason: null,
        },
      });
    }
    if ((await deps.questions(tx, id)).isAllowed) await enqueue(tx, validationJob(id));
    return readView(deps, tx, id, userId);
  });
