export {
  bankAccountStatuses,
  type AccountStanding,
  type BankAccountStatus,
  type BankCustomer,
  type Banking,
  type BankingDeps,
  type ValidationEffect,
} from './banking.types.ts';
export { createBanking } from './create-banking.ts';
export { lockUsableAccount } from './lock-usable-account.ts';
