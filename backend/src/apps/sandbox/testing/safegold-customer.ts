import type { OpenSandbox, CallResponse } from './open-sandbox.ts';

/** Registers a customer and returns the id. */
export const registerCustomer = async (
  { safegold }: OpenSandbox,
  mobileNo = '9876543210',
): Promise<string> => {
  const body = { name: 'Asha Rao', mobile_no: mobileNo, pin_code: '560001' };
  const { body: user } = await safegold('POST', '/v1/users', body);
  return String(user['id']);
};

/** Requests a rate and verifies a trade of these grams for these rupees at that rate. */
export const verify = async (
  { safegold }: OpenSandbox,
  side: 'buy' | 'sell',
  userId: string,
  [grams, rupees]: readonly [string, string],
): Promise<CallResponse> => {
  const { body: price } = await safegold('GET', `/v1/${side}-price`);
  return safegold('POST', `/v4/users/${userId}/${side}-gold-verify`, {
    rate_id: price['rate_id'],
    gold_amount: grams,
    [`${side}_price`]: rupees,
  });
};

/** Confirms a verified transaction. */
export const confirm = (
  { safegold }: OpenSandbox,
  side: 'buy' | 'sell',
  userId: string,
  txId: unknown,
): Promise<CallResponse> =>
  safegold('POST', `/v1/users/${userId}/${side}-gold-confirm`, { tx_id: txId });

/**
 * Returns the provider's status of a transaction: 0 not confirmed, 1 success, 2 failed, 3 in progress.
 */
export const statusOf = async (
  { safegold }: OpenSandbox,
  side: 'buy' | 'sell',
  txId: unknown,
): Promise<unknown> => {
  const response = await safegold('GET', `/v1/${side}-gold/${String(txId)}/order-status`);
  return response.body['status'];
};

/** Returns the grams that the provider holds for the customer. */
export const balanceOf = async ({ safegold }: OpenSandbox, userId: string): Promise<unknown> =>
  (await safegold('GET', `/v1/users/${userId}`)).body['gold_balance'];
