export {
  eraseAccounts,
  findFundAccountId,
  findPayee,
  type Payee,
  lockPayoutAccount,
  lockUsableAccount,
  readAccountUse,
  requireUsableAccount,
} from './bank-accounts.store.ts';
export { bankAccountView } from './banking.schemas.ts';
export { createBanking, type Banking } from './create-banking.ts';
export { listAccounts } from './manage-accounts.ts';
export { matchPayeeName } from './match-payee-name.ts';
export { createValidationPurge } from './banking.sweeps.ts';
