import type { BankDetails, Payee } from '../../adapters/payout-provider/port.ts';
import type { BlindIndex, Sealer } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { BankAccount, BankingDeps } from './banking.types.ts';

const contextOf = (column: string, row: string) => ({
  purpose: 'banking',
  column: `bank_account.${column}`,
  row,
});

/**
 * Converts the details of an account to its stored columns, which are the sealed details, the last four
 * digits of the number and a keyed hash of the number.
 */
export const sealDetails = (
  details: Omit<BankDetails, 'ifsc'>,
  accountId: string,
  { sealer, blindIndex }: { readonly sealer: Sealer; readonly blindIndex: BlindIndex },
) => ({
  numberSealed: sealer.seal(details.accountNumber, contextOf('number', accountId)),
  numberHash: blindIndex('banking.number', details.accountNumber),
  numberHashKey: blindIndex.keyId,
  accountLast4: details.accountNumber.slice(-4),
  holderNameSealed: sealer.seal(details.holderName, contextOf('holder_name', accountId)),
});

/** Hashes a number with every key of the blind index, so that hashes by older keys are found. */
export const hashesOfNumber = (accountNumber: string, blindIndex: BlindIndex): readonly string[] =>
  blindIndex.all('banking.number', accountNumber);

/** Hashes the number of a stored account with the first key of the blind index. */
export const rehashNumber = (
  account: Pick<BankAccount, 'id' | 'numberSealed'>,
  { sealer, blindIndex }: { readonly sealer: Sealer; readonly blindIndex: BlindIndex },
): string =>
  blindIndex('banking.number', sealer.open(account.numberSealed, contextOf('number', account.id)));

/** Opens the holder's name, as the customer entered it. */
export const openHolderName = (
  sealer: Sealer,
  account: Pick<BankAccount, 'id' | 'holderNameSealed'>,
): string => sealer.open(account.holderNameSealed, contextOf('holder_name', account.id));

/** Seals the holder's name that the bank has registered for an account. */
export const sealRegisteredName = (sealer: Sealer, name: string, accountId: string): string =>
  sealer.seal(name, contextOf('registered_name', accountId));

/** Opens the holder's name that the bank has registered for an account. */
export const openRegisteredName = (
  sealer: Sealer,
  { id, registeredNameSealed }: { readonly id: string; readonly registeredNameSealed: string },
): string => sealer.open(registeredNameSealed, contextOf('registered_name', id));

/**
 * Returns the details of an account in plain text, as the provider needs them. The result may be passed
 * only to the provider's adapter.
 * @throws DataKeyDestroyedError if the customer was deleted
 */
export const openAccountForProvider = async (
  db: Db,
  { vault, findCustomer }: Pick<BankingDeps, 'vault' | 'findCustomer'>,
  account: BankAccount,
): Promise<{ readonly payee: Payee; readonly bank: BankDetails }> => {
  const sealer = await vault.forUser(db, account.userId);
  const bank: BankDetails = {
    holderName: openHolderName(sealer, account),
    ifsc: account.ifsc,
    accountNumber: sealer.open(account.numberSealed, contextOf('number', account.id)),
  };
  const customer = await findCustomer(db, account.userId);
  const payee: Payee = {
    reference: account.userId,
    name: customer?.name ?? bank.holderName,
    ...(customer !== undefined && { phone: customer.phone }),
    ...(customer?.email !== undefined && { email: customer.email }),
  };
  return { payee, bank };
};
