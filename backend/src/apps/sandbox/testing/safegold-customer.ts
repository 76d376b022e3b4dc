import type { OpenSandbox, Told } from './open-sandbox.ts';

/** Registers a customer; answers the id. */
export const registerCustomer = async (
  { safegold }: OpenSandbox,
  mobileNo = '9876543210',
): Promise<string> => {
  const body = { name: 'Asha Rao', mobile_no: mobileNo, pin_code: '560001' };
  const { body: user } = await safegold('POST', '/v1/users', body);
  return String(user['id']);
};

/** Quotes a rate and verifies these figures at it. */
export const verify = async (
  { safegold }: OpenSandbox,
  side: 'buy' | 'sell',
  userId: string,
  [grams, rupees]: readonly [string, string],
): Promise<Told> => {
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
): Promise<Told> => safegold('POST', `/v1/users/${userId}/${side}-gold-confirm`, { tx_id: txId });

/** The provider's word on a transaction: 0, 1, 2 or 3. */
export const statusOf = async (
  { safegold }: OpenSandbox,
  side: 'buy' | 'sell',
  txId: unknown,
): Promise<unknown> => {
  const told = await safegold('GET', `/v1/${side}-gold/${String(txId)}/order-status`);
  return told.body['status'];
};

/** Grams that the provider holds for the customer. */
export const balanceOf = async ({ safegold }: OpenSandbox, userId: string): Promise<unknown> =>
  (await safegold('GET', `/v1/users/${userId}`)).body['gold_balance'];
