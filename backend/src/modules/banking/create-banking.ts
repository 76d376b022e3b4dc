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
import { createRehashing, createValidationSweep } from './banking.sweeps.ts';

export interface Banking {
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /** Applies a validation's report to its account, as `applyValidation` describes. */
  applyValidation(tx: Db, validation: ProviderValidation): Promise<ValidationEffect>;
  /** Returns the customer of a validation's account, or undefined for an unknown account. */
  ownerOfValidation(db: Db, validation: ProviderValidation): Promise<string | undefined>;
  /**
   * Returns the account's id for payouts, as `ensureFundAccount` describes. The account's number
   * leaves this module only for the provider.
   */
  ensureFundAccount(bankAccountId: string): Promise<Outcome<FundAccount>>;
}

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
