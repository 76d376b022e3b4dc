import { PAYOUT_NOT_FOUND } from '../../adapters/payout-provider/port.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import {
  acquireValidationStart,
  forgetValidation,
  keepValidationId,
  noteValidationQueried,
  releaseValidationStart,
} from './account-validation.store.ts';
import { applyValidation, refuseValidation } from './apply-validation.ts';
import { accountForProvider } from './bank-account-sealing.ts';
import { lockAccount } from './bank-account.store.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

/** The next step that a worker may take with an account: start a validation or query it. */
type Claim =
  | { readonly kind: 'START'; readonly account: BankAccount; readonly holderId: string }
  | { readonly kind: 'QUERY'; readonly account: BankAccount; readonly validationId: string };

/** Reads the account under its lock and acquires its start, committed before any call. */
const claimValidation = (deps: BankingDeps, bankAccountId: string): Promise<Claim | undefined> =>
  deps.inTransaction(async (tx): Promise<Claim | undefined> => {
    const account = await lockAccount(tx, bankAccountId);
    if (account === undefined || account.deletedAt !== null) return undefined;
    if (account.status !== 'PENDING') return undefined;
    const { providerValidationId: validationId } = account;
    const at = deps.clock.now();
    if (validationId !== null) {
      await noteValidationQueried(tx, bankAccountId, at);
      return { kind: 'QUERY', account, validationId };
    }
    const holderId = deps.random.uuid();
    if (!(await acquireValidationStart(tx, bankAccountId, { holderId, at }))) return undefined;
    return { kind: 'START', account, holderId };
  });

const start = async (
  deps: BankingDeps,
  { account, holderId }: Extract<Claim, { kind: 'START' }>,
): Promise<void> => {
  const { db, inTransaction, logger, provider } = deps;
  const { id: bankAccountId, validationAttempt: attempt } = account;
  const details = await accountForProvider(db, deps, account);
  const outcome = await provider.startValidation({ bankAccountId, ...details });
  if (outcome.kind === 'unknown') {
    // The lease is left to lapse: the event of what was started may be on its way.
    logger.warn({ bankAccountId, reason: outcome.reason }, 'start of a validation undecided');
    return;
  }
  if (outcome.kind === 'done') {
    const { validationId, status } = outcome.value;
    await keepValidationId(db, bankAccountId, { attempt, validationId });
    if (status !== 'PENDING') await inTransaction((tx) => applyValidation(deps, tx, outcome.value));
    return;
  }
  if (isUnavailable(outcome)) {
    await releaseValidationStart(db, bankAccountId, holderId);
    throw new Error(`the payout provider is not available: ${outcome.code}`);
  }
  await inTransaction((tx) => refuseValidation(deps, tx, account, outcome.message));
};

const query = async (
  deps: BankingDeps,
  { account, validationId }: Extract<Claim, { kind: 'QUERY' }>,
): Promise<void> => {
  const { db, inTransaction, logger, provider } = deps;
  const outcome = await provider.getValidation(validationId);
  if (outcome.kind === 'done') {
    if (outcome.value.status === 'PENDING') return;
    await inTransaction((tx) => applyValidation(deps, tx, outcome.value));
    return;
  }
  const bankAccountId = account.id;
  if (outcome.kind === 'refused' && outcome.code === PAYOUT_NOT_FOUND) {
    logger.warn({ bankAccountId }, 'the provider does not know the validation');
    await forgetValidation(db, bankAccountId, validationId);
    return;
  }
  logger.warn({ bankAccountId, outcome: describeOutcome(outcome) }, 'no answer about a validation');
};

/**
 * Starts the validation of a PENDING account, or queries the provider about the one it has. It may
 * run at any time, any number of times, and be killed at any point: the time of the request is
 * committed before the call, and a start whose answer was lost is repeated a minute later under
 * the same reference, unless its event has come by then (the provider can't be queried by
 * reference).
 */
export const validateAccount = async (deps: BankingDeps, bankAccountId: string): Promise<void> => {
  const claim = await claimValidation(deps, bankAccountId);
  if (claim === undefined) return;
  await (claim.kind === 'START' ? start(deps, claim) : query(deps, claim));
};
