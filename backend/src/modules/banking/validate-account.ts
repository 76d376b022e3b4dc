import { PAYOUT_NOT_FOUND } from '../../adapters/payout-provider/port.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { accountForProvider } from './account-for-provider.ts';
import { createAccountValidationStore } from './account-validation.store.ts';
import type { ApplyValidation } from './apply-validation.ts';
import { createBankAccountStore } from './bank-account.store.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

/** How long one worker is let alone with the start of a validation: longer than a call's limit. */
const startLeaseMs = 30_000;

const isWithin = (at: Date | null, ms: number, clock: Clock): boolean => {
  const now = clock.now();
  // A time that lies ahead is of a clock that was set back since.
  return at !== null && at <= now && at > addMs(now, -ms);
};

export type ValidateAccount = (bankAccountId: string) => Promise<void>;

/**
 * Starts the validation of a PENDING account, or asks about the one it has. It may run at any
 * time, any number of times, and be killed at any point: that it is about to ask is committed
 * before the call, and a start whose answer was lost is repeated a minute later under the same
 * reference, unless its event has come by then (the provider can't be asked by reference).
 */
export const createValidateAccount = (
  deps: BankingDeps & { readonly validation: ApplyValidation },
): ValidateAccount => {
  const { db, inTransaction, clock, logger, provider, validation } = deps;
  const validations = createAccountValidationStore(db);

  const claim = (bankAccountId: string): Promise<BankAccount | undefined> =>
    inTransaction(async (tx) => {
      const account = await createBankAccountStore(tx).lock(bankAccountId);
      if (account === undefined || account.deletedAt !== null) return undefined;
      if (account.status !== 'PENDING') return undefined;
      const isStarting =
        account.providerValidationId === null &&
        isWithin(account.validationRequestedAt, startLeaseMs, clock);
      if (isStarting) return undefined;
      await createAccountValidationStore(tx).touch(bankAccountId, clock.now());
      return account;
    });

  const start = async (account: BankAccount): Promise<void> => {
    const { id: bankAccountId, validationAttempt: attempt } = account;
    const details = await accountForProvider(db, deps, account);
    const outcome = await provider.startValidation({ bankAccountId, ...details });
    if (outcome.kind === 'unknown') {
      logger.warn({ bankAccountId, reason: outcome.reason }, 'start of a validation undecided');
      return;
    }
    if (outcome.kind === 'done') {
      await validations.name(bankAccountId, attempt, outcome.value.validationId);
      if (outcome.value.status !== 'PENDING') {
        await inTransaction((tx) => validation.apply(tx, outcome.value));
      }
      return;
    }
    if (isUnavailable(outcome)) {
      await validations.release(bankAccountId, attempt);
      throw new Error(`the payout provider is not available: ${outcome.code}`);
    }
    await inTransaction((tx) => validation.refuse(tx, account, outcome.message));
  };

  const ask = async (account: BankAccount, validationId: string): Promise<void> => {
    const outcome = await provider.getValidation(validationId);
    if (outcome.kind === 'done') {
      if (outcome.value.status === 'PENDING') return;
      await inTransaction((tx) => validation.apply(tx, outcome.value));
    } else if (outcome.kind === 'refused' && outcome.code === PAYOUT_NOT_FOUND) {
      logger.warn({ bankAccountId: account.id }, 'the provider does not know the validation');
      await validations.forget(account.id, validationId);
    } else {
      logger.warn({ bankAccountId: account.id, outcome: outcome.kind }, 'no word of a validation');
    }
  };

  return async (bankAccountId) => {
    const account = await claim(bankAccountId);
    if (account === undefined) return;
    const { providerValidationId: validationId } = account;
    await (validationId === null ? start(account) : ask(account, validationId));
  };
};
