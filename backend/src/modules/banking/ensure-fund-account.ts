import type { FundAccount } from '../../adapters/payout-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { done, type Outcome } from '../../platform/outcome/outcome.ts';
import { openAccountForProvider } from './bank-account-sealing.ts';
import { findAccount, updateFundAccount } from './bank-accounts.store.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

const storedFundAccountOf = (account: BankAccount): FundAccount | undefined => {
  const { providerContactId: contactId, providerFundAccountId: fundAccountId } = account;
  return contactId === null || fundAccountId === null ? undefined : { contactId, fundAccountId };
};

const requireAccount = async (db: Db, bankAccountId: string): Promise<BankAccount> => {
  const account = await findAccount(db, bankAccountId);
  invariant(account, `the bank account ${bankAccountId} of a payout exists`);
  return account;
};

/**
 * Returns the fund account to which the provider sends payouts to this account. The first call creates
 * the fund account at the provider and stores its id, so that every resend of an attempt names the same
 * fund account.
 */
export const ensureFundAccount = async (
  deps: BankingDeps,
  bankAccountId: string,
): Promise<Outcome<FundAccount>> => {
  const { db, clock, provider } = deps;
  const account = await requireAccount(db, bankAccountId);
  const stored = storedFundAccountOf(account);
  if (stored !== undefined) return done(stored);
  const created = await provider.ensureFundAccount(await openAccountForProvider(db, deps, account));
  if (created.kind !== 'done') return created;
  if (await updateFundAccount(db, bankAccountId, created.value, clock.now())) return created;
  // Another process has stored its fund account, which may already be in the request of a payout.
  return done(storedFundAccountOf(await requireAccount(db, bankAccountId)) ?? created.value);
};
