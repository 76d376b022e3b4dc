import type { FundAccount } from '../../adapters/payout-provider/port.ts';
import { done, type Outcome } from '../../platform/outcome/outcome.ts';
import { accountForProvider } from './account-for-provider.ts';
import { createBankAccountStore } from './bank-account.store.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

const keptOf = (account: BankAccount): FundAccount | undefined => {
  const { providerContactId: contactId, providerFundAccountId: fundAccountId } = account;
  return contactId === null || fundAccountId === null ? undefined : { contactId, fundAccountId };
};

/** See `Banking.fundAccountOf`. */
export const createFundAccountOf = (deps: BankingDeps) => {
  const { db, clock, provider } = deps;
  const store = createBankAccountStore(db);

  const find = async (bankAccountId: string): Promise<BankAccount> => {
    const account = await store.find(bankAccountId);
    if (account === undefined) throw new Error(`no bank account ${bankAccountId}`);
    return account;
  };

  return async (bankAccountId: string): Promise<Outcome<FundAccount>> => {
    const account = await find(bankAccountId);
    const kept = keptOf(account);
    if (kept !== undefined) return done(kept);
    const made = await provider.ensureFundAccount(await accountForProvider(db, deps, account));
    if (made.kind !== 'done') return made;
    if (await store.keepFundAccount(bankAccountId, made.value, clock.now())) return made;
    // Another process was quicker, and its answer may already be in a request.
    return done(keptOf(await find(bankAccountId)) ?? made.value);
  };
};
