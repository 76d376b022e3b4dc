import type { Sealer } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Page } from '../../platform/http/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { lockHolding } from '../holdings/index.ts';
import { openHolderName, sealDetails } from './bank-account-sealing.ts';
import { createBankAccountStore } from './bank-account.store.ts';
import { validationJob } from './banking.jobs.ts';
import type { AddAccountInput, BankAccountView } from './banking.schemas.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

/** decisions, section 4 */
const mostAccounts = 5;

const present = (account: BankAccount, sealer: Sealer): BankAccountView => ({
  id: account.id,
  accountLast4: account.accountLast4,
  ifsc: account.ifsc,
  holderName: openHolderName(sealer, account),
  status: account.status,
  primary: account.isPrimary,
  nameMatchScore: account.nameMatchScore,
  createdAt: account.createdAt.toISOString(),
});

/** The customer's account, locked after the holding, whose lock comes first. */
const lockOwn = async (tx: Db, userId: string, id: string): Promise<BankAccount> => {
  await lockHolding(tx, userId);
  const account = await createBankAccountStore(tx).lockOwn(id, userId);
  if (account === undefined) throw new AppError('NOT_FOUND');
  return account;
};

/** What customers do with their bank accounts. Every one answers the view. */
export const createManageAccounts = (deps: BankingDeps) => {
  const { db, inTransaction, clock, random, vault, blindIndex, provider, isAccountInUse } = deps;

  const read = async (client: Db, id: string, userId: string): Promise<BankAccountView> => {
    const account = await createBankAccountStore(client).findOwn(id, userId);
    if (account === undefined) throw new Error('a bank account vanished');
    return present(account, await vault.forUser(client, userId));
  };

  const insert = async (tx: Db, userId: string, input: AddAccountInput): Promise<string> => {
    const { accountNumber, holderName, ifsc, primary = false } = input;
    const sealer = await vault.forUser(tx, userId);
    const id = random.uuid();
    await createBankAccountStore(tx).insert({
      id,
      userId,
      ...sealDetails({ accountNumber, holderName }, id, { sealer, blindIndex }),
      ifsc,
      provider: provider.code,
      primaryWanted: primary,
      createdAt: clock.now(),
    });
    await enqueue(tx, validationJob(id));
    return id;
  };

  return {
    async list(userId: string, page: Page) {
      const { rows, total } = await createBankAccountStore(db).list(userId, page);
      const sealer = await vault.forUser(db, userId);
      return { items: rows.map((row) => present(row, sealer)), total, ...page };
    },

    /**
     * PENDING, with its validation queued in the same transaction.
     * @throws AppError BANK_ACCOUNT_LIMIT; BANK_ACCOUNT_DUPLICATE for one that is there already
     */
    async add(userId: string, input: AddAccountInput): Promise<BankAccountView> {
      try {
        return await inTransaction(async (tx) => {
          await lockHolding(tx, userId);
          if ((await createBankAccountStore(tx).count(userId)) >= mostAccounts) {
            throw new AppError('BANK_ACCOUNT_LIMIT', { details: { most: mostAccounts } });
          }
          return read(tx, await insert(tx, userId, input), userId);
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        // Not as the cause: nothing of the row may come near a log.
        throw new AppError('BANK_ACCOUNT_DUPLICATE', { field: 'accountNumber' });
      }
    },

    /** @throws AppError NOT_FOUND, BANK_ACCOUNT_NOT_VERIFIED */
    choosePrimary: (userId: string, id: string): Promise<BankAccountView> =>
      inTransaction(async (tx) => {
        const account = await lockOwn(tx, userId, id);
        if (account.status !== 'VERIFIED') throw new AppError('BANK_ACCOUNT_NOT_VERIFIED');
        await createBankAccountStore(tx).makePrimary(account, clock.now());
        return read(tx, id, userId);
      }),

    /**
     * Where it was the primary one, the one verified longest ago takes its place.
     * @throws AppError NOT_FOUND, BANK_ACCOUNT_IN_USE
     */
    remove: (userId: string, id: string): Promise<void> =>
      inTransaction(async (tx) => {
        const account = await lockOwn(tx, userId, id);
        if (await isAccountInUse(tx, id)) throw new AppError('BANK_ACCOUNT_IN_USE');
        const store = createBankAccountStore(tx);
        await store.delete(id, clock.now());
        if (!account.isPrimary) return;
        const next = await store.oldestVerified(userId);
        if (next !== undefined) await store.makePrimary(next, clock.now());
      }),

    /**
     * FAILED: a further validation. PENDING: the open one is taken up again, at the provider that
     * has it. @throws AppError NOT_FOUND; ILLEGAL_TRANSITION for a VERIFIED one
     */
    verifyAgain: (userId: string, id: string): Promise<BankAccountView> =>
      inTransaction(async (tx) => {
        const account = await lockOwn(tx, userId, id);
        if (account.status === 'VERIFIED') {
          throw new AppError('ILLEGAL_TRANSITION', { message: 'This account is verified.' });
        }
        if (account.status === 'FAILED') {
          await createBankAccountStore(tx).reopen(id, clock.now());
        }
        await enqueue(tx, validationJob(id));
        return read(tx, id, userId);
      }),
  };
};

export type ManageAccounts = ReturnType<typeof createManageAccounts>;
