import type { ProviderValidation } from '../../adapters/payout-provider/port.ts';
import { DataKeyDestroyedError, type Sealer } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { lockHolding } from '../holdings/index.ts';
import { createAccountValidationStore, type Verdict } from './account-validation.store.ts';
import { sealRegisteredName } from './bank-account-sealing.ts';
import { createBankAccountStore } from './bank-account.store.ts';
import type { BankAccount, BankingDeps, ValidationEffect } from './banking.types.ts';

type ApplyDeps = Pick<BankingDeps, 'clock' | 'logger' | 'notify' | 'provider' | 'vault'>;

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

const unexplained = 'The account could not be verified.';

/**
 * What a validation means for the account as it is: undefined where it decides nothing. One that
 * is not the account's newest speaks of the same account, so its yes is good; its no may be of
 * before the customer asked again.
 */
export const readValidation = (
  account: Pick<BankAccount, 'status' | 'deletedAt' | 'providerValidationId'>,
  validation: Pick<ProviderValidation, 'status' | 'validationId'>,
): 'VERIFIED' | 'FAILED' | ValidationEffect => {
  if (account.deletedAt !== null || account.status !== 'PENDING') return 'IGNORED';
  if (validation.status === 'PENDING') return 'IGNORED';
  if (validation.status === 'VALID') return 'VERIFIED';
  if (account.providerValidationId === validation.validationId) return 'FAILED';
  // The newest has no name yet: this may be it, and will fit once the provider's answer is kept.
  return account.providerValidationId === null ? 'UNMATCHED' : 'IGNORED';
};

/** The account as it is, locked after the holding. */
const lock = async (db: Db, found: BankAccount): Promise<BankAccount> => {
  await lockHolding(db, found.userId);
  return (await createBankAccountStore(db).lock(found.id)) ?? found;
};

/** Applies what the provider says of validations, by events or when asked. */
export const createApplyValidation = (deps: ApplyDeps) => {
  const { clock, logger, notify, provider, vault } = deps;

  const find = async (
    db: Db,
    { validationId, referenceId }: ProviderValidation,
  ): Promise<BankAccount | undefined> => {
    const store = createBankAccountStore(db);
    const named = await store.findByValidation(provider.code, validationId);
    if (named !== undefined || referenceId === undefined) return named;
    return uuidPattern.test(referenceId) ? store.find(referenceId) : undefined;
  };

  const sealerOf = async (db: Db, userId: string): Promise<Sealer | undefined> => {
    try {
      return await vault.forUser(db, userId);
    } catch (error) {
      if (error instanceof DataKeyDestroyedError) return undefined;
      throw error;
    }
  };

  const tell = (db: Db, account: BankAccount, status: Verdict['status']): Promise<void> => {
    const ending = `The account ending in ${account.accountLast4}`;
    const isVerified = status === 'VERIFIED';
    return notify(db, {
      userId: account.userId,
      type: isVerified ? 'bank_verified' : 'bank_failed',
      title: isVerified ? 'Bank account verified' : 'Bank account not verified',
      body: isVerified
        ? `${ending} can receive your money now.`
        : `${ending} could not be verified. Please check its details.`,
      data: { bankAccountId: account.id },
      dedupeKey: `bank:${account.id}:${account.validationAttempt}`,
    });
  };

  /** In a transaction that holds the holding and the account. */
  const decide = async (
    db: Db,
    account: BankAccount,
    verdict: Omit<Verdict, 'registeredNameSealed'> & { readonly registeredName?: string },
  ): Promise<ValidationEffect> => {
    const { registeredName, ...rest } = verdict;
    const sealer = await sealerOf(db, account.userId);
    // Its owner is gone, and nothing of theirs is kept any more.
    if (sealer === undefined) return 'IGNORED';
    const registeredNameSealed =
      registeredName === undefined
        ? undefined
        : sealRegisteredName(sealer, registeredName, account.id);
    const now = clock.now();
    const kept = { ...rest, registeredNameSealed };
    if (!(await createAccountValidationStore(db).decide(account.id, kept, now))) return 'IGNORED';
    const store = createBankAccountStore(db);
    if (rest.status === 'VERIFIED') {
      const isFirst = !(await store.hasPrimary(account.userId));
      if (isFirst || account.primaryWanted) await store.makePrimary(account, now);
    }
    await tell(db, account, rest.status);
    logger.info({ bankAccountId: account.id, status: rest.status }, 'bank account decided');
    return 'APPLIED';
  };

  return {
    find,

    async apply(db: Db, validation: ProviderValidation): Promise<ValidationEffect> {
      const found = await find(db, validation);
      if (found === undefined) return 'UNMATCHED';
      const account = await lock(db, found);
      const status = readValidation(account, validation);
      if (status !== 'VERIFIED' && status !== 'FAILED') return status;
      const { validationId, registeredName, nameMatchScore, reason } = validation;
      return decide(db, account, {
        status,
        validationId,
        nameMatchScore,
        failureReason: status === 'FAILED' ? (reason ?? unexplained) : undefined,
        ...(registeredName !== undefined && { registeredName }),
      });
    },

    /** The provider will not even try: FAILED. */
    async refuse(db: Db, found: BankAccount, reason: string): Promise<ValidationEffect> {
      const account = await lock(db, found);
      const isSame = account.validationAttempt === found.validationAttempt;
      if (!isSame || account.status !== 'PENDING' || account.deletedAt !== null) return 'IGNORED';
      return decide(db, account, {
        status: 'FAILED',
        validationId: undefined,
        nameMatchScore: undefined,
        failureReason: reason,
      });
    },
  };
};

export type ApplyValidation = ReturnType<typeof createApplyValidation>;
