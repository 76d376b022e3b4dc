import { sandboxDefaults } from '../sandbox-defaults.ts';
import { asker, type OpenSandbox } from './open-sandbox.ts';

const contact = { name: 'Asha Rao', contact: '9876543210', type: 'customer', reference_id: 'u-1' };

const bankAccount = (accountNumber: string) => ({
  name: 'Asha Rao',
  ifsc: 'HDFC0000053',
  account_number: accountNumber,
});

const { razorpayxKeyId, razorpayxKeySecret, razorpayxAccountNumber } = sandboxDefaults;

/** Asks for a payout of INR 1234.56 under this key, which is its reference too; answers its id. */
export const startPayout = async (
  { url, razorpayx }: OpenSandbox,
  { accountNumber, key }: { readonly accountNumber: string; readonly key: string },
): Promise<string> => {
  const { body: made } = await razorpayx('POST', '/v1/contacts', contact);
  const { body: account } = await razorpayx('POST', '/v1/fund_accounts', {
    contact_id: made['id'],
    account_type: 'bank_account',
    bank_account: bankAccount(accountNumber),
  });
  const credentials = Buffer.from(`${razorpayxKeyId}:${razorpayxKeySecret}`).toString('base64');
  const keyed = asker(`${url}/razorpayx`, {
    authorization: `Basic ${credentials}`,
    'x-payout-idempotency': key,
  });
  const { body: payout } = await keyed('POST', '/v1/payouts', {
    account_number: razorpayxAccountNumber,
    fund_account_id: account['id'],
    amount: 123_456,
    currency: 'INR',
    mode: 'IMPS',
    purpose: 'payout',
    reference_id: key,
  });
  return String(payout['id']);
};

/** Starts a penny-drop of a bank account; answers its id. */
export const startValidation = async (
  { razorpayx }: OpenSandbox,
  asked: { readonly accountNumber: string; readonly bankAccountId: string },
): Promise<string> => {
  const { body } = await razorpayx('POST', '/v1/fund_accounts/validations', {
    source_account_number: razorpayxAccountNumber,
    validation_type: 'optimized',
    reference_id: asked.bankAccountId,
    fund_account: {
      account_type: 'bank_account',
      bank_account: bankAccount(asked.accountNumber),
      contact,
    },
  });
  return String(body['id']);
};
