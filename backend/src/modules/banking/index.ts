export {
  bankAccountStatuses,
  type BankAccountStatus,
  type BankCustomer,
  type Banking,
  type BankingDeps,
  type PayoutDetails,
  type ValidationEffect,
} from './banking.types.ts';
export { lockUsableAccount } from './lock-usable-account.ts';
