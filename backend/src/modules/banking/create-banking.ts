import type { FundAccount, ProviderValidation } from '../../adapters/payout-provider/port.ts';
import { createCallSweep } from '../../platform/collaborator-call/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { sweepRows, type Sweep, type TaskList } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { listAccountsToPoll, markValidationSwept } from './account-validation.store.ts';
import { rehashNumber } from './bank-account-sealing.ts';
import { listOutdatedNumbers, replaceNumberHash } from './bank-account.store.ts';
import { applyValidation, findValidatedAccount } from './apply-validation.ts';
import { createBankingCustomerRoutes } from './banking.customer.routes.ts';
import { createBankingJobs } from './banking.jobs.ts';
import type { BankingDeps, ValidationEffect } from './banking.types.ts';
import { ensureFundAccount } from './ensure-fund-account.ts';
import { validateAccount } from './validate-account.ts';

/** An open validation is queried once in this time, however many workers there are. */
const quietMs = 45_000;
const batchSize = 100;

export interface Banking {
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** See `applyValidation`. */
  applyValidation(tx: Db, validation: ProviderValidation): Promise<ValidationEffect>;
  /** Returns the customer of a validation's account, or undefined for an unknown account. */
  ownerOfValidation(db: Db, validation: ProviderValidation): Promise<string | undefined>;
  /** See `ensureFundAccount`. The account's number leaves this module only for the provider. */
  ensureFundAccount(bankAccountId: string): Promise<Outcome<FundAccount>>;
}

/** Creates the sweep that resumes validations whose event or start was lost. */
const createValidationSweep = (deps: BankingDeps): Sweep => {
  const { db, clock, logger } = deps;
  return createCallSweep({
    name: 'banking-poll-open-validations',
    flow: 'validation',
    logger,
    list: () => listAccountsToPoll(db, { now: clock.now(), quietMs, limit: batchSize }),
    call: (bankAccountId) => validateAccount(deps, bankAccountId),
    postpone: (bankAccountId) => markValidationSwept(db, bankAccountId, clock.now()),
    fieldsOf: (bankAccountId) => ({ bankAccountId }),
  });
};

/** Creates the sweep that hashes account numbers with a new first key of the blind index. */
const createRehashing = (deps: BankingDeps): Sweep => ({
  name: 'rehash-bank-accounts',
  async run(signal) {
    const { db, vault, blindIndex, logger } = deps;
    const numberHashKey = blindIndex.keyId;
    await sweepRows({
      rows: (after?: { readonly id: string }) =>
        listOutdatedNumbers(db, numberHashKey, { after: after?.id, limit: batchSize }),
      signal,
      handle: async (account) => {
        const sealer = (await vault.forUsers(db, [account.userId])).get(account.userId);
        // The number of a customer whose key is destroyed can't be opened.
        const fresh =
          sealer === undefined ? {} : { numberHash: rehashNumber(account, { sealer, blindIndex }) };
        await replaceNumberHash(db, account.id, { ...fresh, numberHashKey });
        return true;
      },
      onError: (error, { id }) =>
        logger.warn(
          { bankAccountId: id, err: describeError(error) },
          'a secret could not be rehashed',
        ),
    });
  },
});

/** Wires customers' bank accounts and the penny-drops that verify them. */
export const createBanking = (deps: BankingDeps): Banking => ({
  customerRoutes: createBankingCustomerRoutes(deps),
  jobs: createBankingJobs((bankAccountId) => validateAccount(deps, bankAccountId)),
  sweeps: [createValidationSweep(deps), createRehashing(deps)],
  applyValidation: (tx, validation) => applyValidation(deps, tx, validation),
  ownerOfValidation: async (db, validation) =>
    (await findValidatedAccount(deps, db, validation))?.userId,
  ensureFundAccount: (bankAccountId) => ensureFundAccount(deps, bankAccountId),
});
