import type { FundAccount } from '../../adapters/payout-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { done, type Outcome } from '../../platform/outcome/outcome.ts';
import { accountForProvider } from './bank-account-sealing.ts';
import { findAccount, updateFundAccount } from './bank-accounts.store.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

const keptFundAccount = (account: BankAccount): FundAccount | undefined => {
  const { providerContactId: contactId, providerFundAccountId: fundAccountId } = account;
  return contactId === null || fundAccountId === null ? undefined : { contactId, fundAccountId };
};

const requireAccount = async (db: Db, bankAccountId: string): Promise<BankAccount> => {
  const account = await findAccount(db, bankAccountId);
  invariant(account, `the bank account ${bankAccountId} of a payout is there`);
  return account;
};

/**
 * Returns the fund account at the provider that payouts to the account go to. The first call
 * creates it at the provider and stores its id, so that every resend of an attempt names the same
 * fund account.
 */
export const ensureFundAccount = async (
  deps: BankingDeps,
  bankAccountId: string,
): Promise<Outcome<FundAccount>> => {
  const { db, clock, provider } = deps;
  const account = await requireAccount(db, bankAccountId);
  const kept = keptFundAccount(account);
  if (kept !== undefined) return done(kept);
  const created = await provider.ensureFundAccount(await accountForProvider(db, deps, account));
  if (created.kind !== 'done') return created;
  if (await updateFundAccount(db, bankAccountId, created.value, clock.now())) return created;
  // Another process was quicker, and its answer may already be in a request.
  return done(keptFundAccount(await requireAccount(db, bankAccountId)) ?? created.value);
};
