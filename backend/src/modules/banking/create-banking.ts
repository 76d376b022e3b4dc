import type { Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { createAccountValidationStore } from './account-validation.store.ts';
import { createApplyValidation } from './apply-validation.ts';
import { createBankAccountStore } from './bank-account.store.ts';
import { createBankingCustomerRoutes } from './banking.customer.routes.ts';
import { createBankingJobs } from './banking.jobs.ts';
import type { Banking, BankingDeps } from './banking.types.ts';
import { createFundAccountOf } from './fund-account.ts';
import { createManageAccounts } from './manage-accounts.ts';
import { createValidateAccount, type ValidateAccount } from './validate-account.ts';

/** An open validation is asked about once in a round, however many workers there are. */
const quietMs = 45_000;
const batchSize = 100;

/** Validations whose event was lost, and starts that were. */
const askOpenValidations = (
  { db, clock, logger }: BankingDeps,
  validateAccount: ValidateAccount,
): Sweep => ({
  name: 'banking-ask-open-validations',
  async run() {
    const store = createAccountValidationStore(db);
    for (const bankAccountId of await store.listOpen(clock.now(), quietMs, batchSize)) {
      await validateAccount(bankAccountId).catch((error: unknown) => {
        logger.warn({ bankAccountId, err: describeError(error) }, 'a validation is still open');
      });
    }
  },
});

/** Customers' bank accounts, and the penny-drops that verify them. */
export const createBanking = (deps: BankingDeps): Banking => {
  const validation = createApplyValidation(deps);
  const validateAccount = createValidateAccount({ ...deps, validation });
  return {
    customerRoutes: createBankingCustomerRoutes(createManageAccounts(deps)),
    jobs: createBankingJobs(validateAccount),
    sweeps: [askOpenValidations(deps, validateAccount)],
    applyValidation: (db, news) => validation.apply(db, news),
    ownerOfValidation: async (db, news) => (await validation.find(db, news))?.userId,
    async lockStanding(db, bankAccountId) {
      const account = await createBankAccountStore(db).lockForUse(bankAccountId);
      if (account === undefined) return undefined;
      const isUsable = account.status === 'VERIFIED' && account.deletedAt === null;
      return { userId: account.userId, isUsable };
    },
    fundAccountOf: createFundAccountOf(deps),
  };
};
