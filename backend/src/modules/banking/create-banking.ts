import type { FundAccount, ProviderValidation } from '../../adapters/payout-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { type Sweep, type TaskList } from '../../platform/jobs/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { applyValidation, findValidatedAccount } from './apply-validation.ts';
import { createBankingCustomerRoutes } from './banking.customer.routes.ts';
import { createBankingJobs } from './banking.jobs.ts';
import type { BankingDeps, ValidationEffect } from './banking.types.ts';
import { ensureFundAccount } from './ensure-fund-account.ts';
import { validateAccount } from './validate-account.ts';
import { createRehashingSweep, createValidationSweep } from './banking.sweeps.ts';

export interface Banking {
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** Applies the provider's report of a validation to the account. */
  applyValidation(tx: Db, validation: ProviderValidation): Promise<ValidationEffect>;
  /** Returns the id of the customer of a validation's account, or undefined for an unknown account. */
  ownerOfValidation(db: Db, validation: ProviderValidation): Promise<string | undefined>;
  /**
   * Returns the account's fund account at the provider, and creates it if there is none. The account's
   * number leaves this module only for the provider.
   */
  ensureFundAccount(bankAccountId: string): Promise<Outcome<FundAccount>>;
}

/** Creates the routes, jobs and sweeps of customers' bank accounts and of their validations. */
export const createBanking = (deps: BankingDeps): Banking => ({
  customerRoutes: createBankingCustomerRoutes(deps),
  jobs: createBankingJobs((bankAccountId) => validateAccount(deps, bankAccountId)),
  sweeps: [createValidationSweep(deps), createRehashingSweep(deps)],
  applyValidation: (tx, validation) => applyValidation(deps, tx, validation),
  ownerOfValidation: async (db, validation) =>
    (await findValidatedAccount(deps, db, validation))?.userId,
  ensureFundAccount: (bankAccountId) => ensureFundAccount(deps, bankAccountId),
});
