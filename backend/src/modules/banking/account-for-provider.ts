import type { BankDetails, Payee } from '../../adapters/payout-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { openDetails } from './bank-account-sealing.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

/**
 * An account in clear, as the provider wants it: only ever handed to its adapter.
 * @throws DataKeyDestroyedError when the customer is gone
 */
export const accountForProvider = async (
  db: Db,
  { vault, findCustomer }: Pick<BankingDeps, 'vault' | 'findCustomer'>,
  account: BankAccount,
): Promise<{ readonly payee: Payee; readonly bank: BankDetails }> => {
  const bank = openDetails(await vault.forUser(db, account.userId), account);
  const customer = await findCustomer(db, account.userId);
  const payee: Payee = {
    reference: account.userId,
    name: customer?.name ?? bank.holderName,
    ...(customer !== undefined && { phone: customer.phone }),
    ...(customer?.email !== undefined && { email: customer.email }),
  };
  return { payee, bank };
};
