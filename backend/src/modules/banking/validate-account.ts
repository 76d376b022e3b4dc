import { PAYOUT_NOT_FOUND, type ProviderValidation } from '../../adapters/payout-provider/port.ts';
import {
  heldElsewhere,
  makeCall,
  readFound,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
} from '../../platform/collaborator-call/index.ts';
import {
  acquireValidationStart,
  markValidationQueried,
  markValidationStarted,
  markValidationUnstarted,
  releaseValidationStart,
} from './account-validations.store.ts';
import { applyValidation, refuseValidation } from './apply-validation.ts';
import { openAccountForProvider } from './bank-account-sealing.ts';
import { lockAccount } from './bank-accounts.store.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

/** One worker's turn at an account's validation, which the worker starts or queries. */
interface Validation {
  readonly account: BankAccount;
  /** The worker that starts the validation. */
  readonly holderId: string;
  /** The validation's id at the provider, or null before the provider has returned it. */
  readonly validationId: string | null;
}

/**
 * Locks an account and acquires the start of its validation. The transaction is committed before any
 * call to the provider.
 */
const claimValidation = (deps: BankingDeps, bankAccountId: string): Promise<Claim<Validation>> =>
  deps.inTransaction(async (tx): Promise<Claim<Validation>> => {
    const account = await lockAccount(tx, bankAccountId);
    if (account?.status !== 'PENDING' || account.deletedAt !== null) {
      return skip('no validation is open');
    }
    const { providerValidationId: validationId } = account;
    const [holderId, now] = [deps.random.uuid(), deps.clock.now()];
    const call = { account, holderId, validationId };
    if (validationId !== null) {
      await markValidationQueried(tx, bankAccountId, now);
      return { kind: 'QUERY', call };
    }
    return (await acquireValidationStart(tx, bankAccountId, { holderId, now }))
      ? { kind: 'SEND', call, wasSent: false }
      : heldElsewhere;
  });

const recordValidation = async (
  deps: BankingDeps,
  { account, holderId, validationId }: Validation,
  result: CallResult<ProviderValidation>,
): Promise<void> => {
  const { db, inTransaction } = deps;
  const { id, validationAttempt: attempt } = account;
  switch (result.kind) {
    case 'DONE': {
      const { status, validationId: startedId } = result.value;
      if (result.by === 'ANSWER')
        await markValidationStarted(db, id, { attempt, validationId: startedId });
      if (status !== 'PENDING')
        await inTransaction((tx) => applyValidation(deps, tx, result.value));
      return;
    }
    case 'INTENDED':
      if (validationId !== null) return markValidationUnstarted(db, id, validationId);
      await releaseValidationStart(db, id, holderId);
      // No request was sent, so the error makes the queue retry soon.
      throw new Error(`the payout provider is not available: ${result.reason}`);
    case 'REFUSED':
      await inTransaction((tx) => refuseValidation(deps, tx, account, result.reason));
      return;
    case 'UNKNOWN':
      // The lease of the start is kept until it expires, because the validation's event may still
      // arrive.
      return;
    default:
      result satisfies never;
  }
};

/**
 * Declares how an account is validated. The provider can't be queried by reference. If the response to a
 * start is lost and no event arrives, the start is repeated about a minute later under the same
 * reference. A second penny-drop costs a rupee, and each of the two can validate the account.
 */
const createValidationCall = (
  deps: BankingDeps,
): CallProtocol<string, Validation, ProviderValidation> => ({
  flow: 'validation',
  fieldsOf: (bankAccountId) => ({ bankAccountId }),
  claim: (bankAccountId) => claimValidation(deps, bankAccountId),
  async send({ account }) {
    const details = await openAccountForProvider(deps.db, deps, account);
    return deps.provider.startValidation({ bankAccountId: account.id, ...details });
  },
  hasArrived: () => true,
  async query({ validationId }) {
    if (validationId === null) return { kind: 'UNKNOWN', reason: 'the provider has given no id' };
    const outcome = await deps.provider.getValidation(validationId);
    const isUnknownAtProvider = outcome.kind === 'refused' && outcome.code === PAYOUT_NOT_FOUND;
    const reason = 'the provider does not know the validation';
    return isUnknownAtProvider ? { kind: 'NONE', reason } : readFound(outcome);
  },
  decide: ({ validationId }) =>
    validationId === null
      ? 'SEND'
      : { kind: 'INTENDED', reason: 'the provider does not know the validation' },
  record: (validation, result) => recordValidation(deps, validation, result),
});

/**
 * Starts the validation of a PENDING account, or queries the provider about the open validation. It may
 * run at any time, any number of times, and it may be killed at any point.
 */
export const validateAccount = async (deps: BankingDeps, bankAccountId: string): Promise<void> => {
  await makeCall(deps, createValidationCall(deps), bankAccountId);
};
