import type { BankDetails } from '../../adapters/payout-provider/port.ts';
import type { BlindIndex, Sealer } from '../../platform/crypto/index.ts';
import type { BankAccount } from './banking.types.ts';

const contextOf = (column: string, row: string) => ({
  purpose: 'banking',
  column: `bank_account.${column}`,
  row,
});

/** The given details as they are stored: sealed, their last four digits, a keyed hash. */
export const sealDetails = (
  details: Omit<BankDetails, 'ifsc'>,
  accountId: string,
  { sealer, blindIndex }: { readonly sealer: Sealer; readonly blindIndex: BlindIndex },
) => ({
  numberSealed: sealer.seal(details.accountNumber, contextOf('number', accountId)),
  numberHash: blindIndex('banking.number', details.accountNumber),
  accountLast4: details.accountNumber.slice(-4),
  holderNameSealed: sealer.seal(details.holderName, contextOf('holder_name', accountId)),
});

type Sealed = Pick<BankAccount, 'id' | 'numberSealed' | 'holderNameSealed' | 'ifsc'>;

/** The holder's name as it was given. */
export const openHolderName = (sealer: Sealer, account: Sealed): string =>
  sealer.open(account.holderNameSealed, contextOf('holder_name', account.id));

/** The details in clear, for the provider alone. */
export const openDetails = (sealer: Sealer, account: Sealed): BankDetails => ({
  holderName: openHolderName(sealer, account),
  ifsc: account.ifsc,
  accountNumber: sealer.open(account.numberSealed, contextOf('number', account.id)),
});

/** The name that the bank has. */
export const sealRegisteredName = (sealer: Sealer, name: string, accountId: string): string =>
  sealer.seal(name, contextOf('registered_name', accountId));
