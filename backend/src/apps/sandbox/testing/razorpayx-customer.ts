import { sandboxDefaults } from '../sandbox-options.ts';
import { createCaller, type OpenSandbox, type CallResponse } from './open-sandbox.ts';

const { razorpayxKeyId, razorpayxKeySecret } = sandboxDefaults;

/** The service's own account. */
export const ownAccount = sandboxDefaults.razorpayxAccountNumber;

/** The contact that the tests pay. */
export const contact = {
  name: 'Asha Rao',
  contact: '9876543210',
  type: 'customer',
  reference_id: 'u-1',
};

/** A bank account to which payouts stay open. */
export const bankAccount = {
  name: 'Asha Rao',
  ifsc: 'HDFC0000053',
  account_number: '111122229999',
};

/** Creates the contact's fund account, with these details changed, and returns its id. */
export const newFundAccount = async (
  { razorpayx }: OpenSandbox,
  change: object = {},
): Promise<string> => {
  const { body: created } = await razorpayx('POST', '/v1/contacts', contact);
  const { body: account } = await razorpayx('POST', '/v1/fund_accounts', {
    contact_id: created['id'],
    account_type: 'bank_account',
    bank_account: { ...bankAccount, ...change },
  });
  return String(account['id']);
};

/** Returns the body of a payout of INR 1234.56. */
export const payoutBody = (fundAccountId: string, change: object = {}) => ({
  account_number: ownAccount,
  fund_account_id: fundAccountId,
  amount: 123_456,
  currency: 'INR',
  mode: 'IMPS',
  purpose: 'payout',
  queue_if_low_balance: true,
  reference_id: 'payout-1',
  narration: 'Gold sale',
  ...change,
});

/** Requests a payout under this key, or without one. */
export const sendPayout = (
  { url }: OpenSandbox,
  body: object,
  key: string | null,
): Promise<CallResponse> => {
  const credentials = Buffer.from(`${razorpayxKeyId}:${razorpayxKeySecret}`).toString('base64');
  const headers = {
    authorization: `Basic ${credentials}`,
    ...(key !== null && { 'x-payout-idempotency': key }),
  };
  return createCaller(`${url}/razorpayx`, headers)('POST', '/v1/payouts', body);
};

/** Starts a payout under this key, which is also its reference, and returns its id. */
export const startPayout = async (
  open: OpenSandbox,
  { accountNumber, key }: { readonly accountNumber: string; readonly key: string },
): Promise<string> => {
  const accountId = await newFundAccount(open, { account_number: accountNumber });
  const response = await sendPayout(open, payoutBody(accountId, { reference_id: key }), key);
  return String(response.body['id']);
};

/** Returns the body of a penny-drop. */
export const validationBody = (accountNumber: string, bankAccountId: string) => ({
  source_account_number: ownAccount,
  validation_type: 'optimized',
  reference_id: bankAccountId,
  fund_account: {
    account_type: 'bank_account',
    bank_account: { ...bankAccount, account_number: accountNumber },
    contact,
  },
});

/** Starts a penny-drop of a bank account and returns its id. */
export const startValidation = async (
  { razorpayx }: OpenSandbox,
  account: { readonly accountNumber: string; readonly bankAccountId: string },
): Promise<string> => {
  const body = validationBody(account.accountNumber, account.bankAccountId);
  const response = await razorpayx('POST', '/v1/fund_accounts/validations', body);
  return String(response.body['id']);
};

/** Returns a refusal in the provider's own form. */
export const refusal = (field?: string) => ({
  status: 400,
  body: { error: { code: 'BAD_REQUEST_ERROR', ...(field !== undefined && { field }) } },
});
