import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import type {
  CreatePayout,
  EnsureFundAccount,
  PayoutProvider,
} from '../../src/adapters/payout-provider/port.ts';
import { parseRupees } from '../../src/money/index.ts';
import { valueOf, type AdapterFixture } from './adapter-fixture.ts';

/** The payee of the tests, with a name that the adapter has to tidy. */
export const payee = {
  reference: '01890000-0000-7000-8000-000000000001',
  name: 'Aśha  Rao–',
  phone: '+919876543210',
};

/** A bank account of that number. */
export const bankOf = (accountNumber: string): EnsureFundAccount => ({
  payee,
  bank: { holderName: 'Asha Rao', ifsc: 'HDFC0000053', accountNumber },
});

/** The adapter against the fixture's sandbox. */
export const openRazorpayx = (
  { env, deps }: AdapterFixture,
  more: Readonly<Record<string, string>> = {},
): PayoutProvider & Closable => createPayoutProvider({ ...env, ...more }, deps);

let attempts = 0;

/** A new attempt's key. */
export const nextKey = (): string => {
  attempts += 1;
  return `${attempts.toString(16).padStart(32, '0')}-1`;
};

/** A new attempt, whose account leaves payouts open. */
export const newPayout = async (provider: PayoutProvider): Promise<CreatePayout> => {
  const account = await provider.ensureFundAccount(bankOf('111122229999'));
  const key = nextKey();
  return {
    idempotencyKey: key,
    fundAccountId: valueOf(account).fundAccountId,
    amountPaise: parseRupees('1234.56'),
    mode: 'IMPS',
    referenceId: key,
    narration: 'Gold sale #12, thank you very much indeed',
  };
};
