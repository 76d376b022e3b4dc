import type { ProviderValidation } from '../../adapters/payout-provider/port.ts';
import { DataKeyDestroyedError, type Sealer } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { lockHolding } from '../holdings/index.ts';
import { sealRegisteredName } from './bank-account-sealing.ts';
import {
  findAccount,
  findAccountByValidation,
  hasPrimary,
  lockAccount,
  markPrimary,
} from './bank-accounts.store.ts';
import { notifyValidated } from './banking.notifications.ts';
import { transitionAccount } from './banking.states.ts';
import type { BankAccount, BankingDeps, ValidationEffect } from './banking.types.ts';

type ApplyDeps = Pick<BankingDeps, 'clock' | 'logger' | 'notify' | 'provider' | 'vault'>;

/**
 * Returns the effect of a validation on the account. An older validation that passed still counts,
 * because it is of the same account. An older failure is ignored, because the customer may have retried
 * since.
 */
const readValidation = (
  account: Pick<BankAccount, 'status' | 'deletedAt' | 'providerValidationId'>,
  validation: Pick<ProviderValidation, 'status' | 'validationId'>,
): 'VERIFIED' | 'FAILED' | ValidationEffect => {
  if (account.deletedAt !== null || account.status !== 'PENDING') return 'IGNORED';
  if (validation.status === 'PENDING') return 'IGNORED';
  if (validation.status === 'VALID') return 'VERIFIED';
  if (account.providerValidationId === validation.validationId) return 'FAILED';
  // The id of the newest validation is not stored yet. The report may be of that validation, and then
  // matches once the provider's response is stored.
  return account.providerValidationId === null ? 'UNMATCHED' : 'IGNORED';
};

/**
 * Finds the account of a validation by the provider's id. If no account has the id, finds it by the
 * reference that was sent with the request, which is the account's id.
 */
export const findValidatedAccount = async (
  { provider }: Pick<BankingDeps, 'provider'>,
  db: Db,
  { validationId, referenceId }: ProviderValidation,
): Promise<BankAccount | undefined> => {
  const byValidationId = await findAccountByValidation(db, provider.code, validationId);
  if (byValidationId !== undefined || referenceId === undefined) return byValidationId;
  return isUuid(referenceId) ? findAccount(db, referenceId) : undefined;
};

/** Locks the holding, then locks the account and reads it again. */
const lockWithHolding = async (tx: Db, seenAccount: BankAccount): Promise<BankAccount> => {
  await lockHolding(tx, seenAccount.userId);
  return (await lockAccount(tx, seenAccount.id)) ?? seenAccount;
};

const findSealer = async (
  { vault }: Pick<BankingDeps, 'vault'>,
  db: Db,
  userId: string,
): Promise<Sealer | undefined> => {
  try {
    return await vault.forUser(db, userId);
  } catch (error) {
    if (error instanceof DataKeyDestroyedError) return undefined;
    throw error;
  }
};

interface Verdict {
  readonly status: 'VERIFIED' | 'FAILED';
  readonly cause: string;
  readonly validationId?: string | undefined;
  readonly registeredName?: string | undefined;
  readonly nameMatchScore?: number | undefined;
  readonly failureReason?: string | undefined;
}

/** Records the verdict on an account that is locked after its holding, and notifies the customer. */
const recordVerdict = async (
  deps: ApplyDeps,
  tx: Db,
  account: BankAccount,
  verdict: Verdict,
): Promise<ValidationEffect> => {
  const { status, validationId, registeredName, nameMatchScore, failureReason } = verdict;
  const sealer = await findSealer(deps, tx, account.userId);
  // The customer was deleted, so nothing about the account is stored any more.
  if (sealer === undefined) return 'IGNORED';
  const now = deps.clock.now();
  await transitionAccount(deps, tx, account, {
    to: status,
    actor: `payout-provider:${deps.provider.code}`,
    cause: verdict.cause,
    now,
    changes: {
      providerValidationId: account.providerValidationId ?? validationId ?? null,
      registeredNameSealed:
        registeredName === undefined
          ? null
          : sealRegisteredName(sealer, registeredName, account.id),
      nameMatchScore: nameMatchScore ?? null,
      failureReason: failureReason ?? null,
      verifiedAt: status === 'VERIFIED' ? now : null,
      validationHolderId: null,
      validationLeaseUntil: null,
    },
  });
  if (status === 'VERIFIED') {
    const isFirst = !(await hasPrimary(tx, account.userId));
    if (isFirst || account.primaryWanted) await markPrimary(tx, account, now);
  }
  await notifyValidated(tx, deps.notify, account, status);
  return 'APPLIED';
};

const defaultFailureReason = 'The account could not be verified.';

/**
 * Applies the provider's report of a validation, from an event or a query. The caller's transaction has
 * not locked a holding, account or payout yet.
 */
export const applyValidation = async (
  deps: ApplyDeps,
  tx: Db,
  validation: ProviderValidation,
): Promise<ValidationEffect> => {
  const seenAccount = await findValidatedAccount(deps, tx, validation);
  if (seenAccount === undefined) return 'UNMATCHED';
  const account = await lockWithHolding(tx, seenAccount);
  const status = readValidation(account, validation);
  if (status !== 'VERIFIED' && status !== 'FAILED') return status;
  const { validationId, registeredName, nameMatchScore, reason } = validation;
  return recordVerdict(deps, tx, account, {
    status,
    cause: 'validation.decided',
    validationId,
    registeredName,
    nameMatchScore,
    failureReason: status === 'FAILED' ? (reason ?? defaultFailureReason) : undefined,
  });
};

/** Makes an account FAILED because the provider refused to start its validation. */
export const refuseValidation = async (
  deps: ApplyDeps,
  tx: Db,
  seenAccount: BankAccount,
  reason: string,
): Promise<ValidationEffect> => {
  const account = await lockWithHolding(tx, seenAccount);
  const isSameAttempt = account.validationAttempt === seenAccount.validationAttempt;
  if (!isSameAttempt || account.status !== 'PENDING' || account.deletedAt !== null)
    return 'IGNORED';
  return recordVerdict(deps, tx, account, {
    status: 'FAILED',
    cause: 'validation.refused',
    failureReason: reason,
  });
};
