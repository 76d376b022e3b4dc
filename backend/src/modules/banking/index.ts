export { eraseAccounts, findFundAccountId, findPayee, type Payee } from './bank-account.store.ts';
export { bankAccountView } from './banking.schemas.ts';
export { createBanking, type Banking } from './create-banking.ts';
export { listAccounts } from './manage-accounts.ts';
export { lockAccountStanding, lockUsableAccount } from './usable-account.ts';
export { createValidationPurge } from './purge-validations.ts';
