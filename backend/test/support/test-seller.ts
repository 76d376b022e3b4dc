import { expect } from 'vitest';
import { z } from 'zod';
import type { RunningSystem } from './open-running-system.ts';
import type { Answer } from './caller.ts';
import { eventually } from './eventually.ts';
import { newKey, type Call, type TestCustomer } from './test-customer.ts';

const accountsSchema = z.object({
  items: z.array(z.object({ id: z.string(), status: z.string(), accountLast4: z.string() })),
});
const sellSchema = z.object({
  order: z.object({
    id: z.string(),
    status: z.string(),
    grams: z.string(),
    proceeds_paise: z.number(),
    sg_tx_id: z.string(),
  }),
  payout: z.object({ id: z.string(), status: z.string(), amountPaise: z.number() }),
});
type SoldView = z.output<typeof sellSchema>;

/** A customer with gold and a verified bank account. */
export interface TestSeller {
  readonly client: TestCustomer;
  readonly bankAccountId: string;
  readonly accountNumber: string;
}

let accounts = 0;
/**
 * Returns an unused account number. The sandbox chooses the outcomes of a validation and of a payout by
 * its last four digits. With `4321` both succeed. Others simulate a failure or a delay, such as `9999`.
 */
const newAccountNumber = (end = '4321'): string => {
  accounts += 1;
  return `50100${String(process.pid).padStart(7, '0')}${accounts}${end}`;
};

/** Adds a bank account through the API and waits until the payout provider has validated it. */
export const addVerifiedAccount = async (client: TestCustomer, accountNumber: string) => {
  const { call } = client;
  const body = { accountNumber, ifsc: 'HDFC0001234', holderName: 'Asha Rao' };
  const added = await call('POST', '/bank-accounts', body);
  expect(added).toMatchObject({ status: 201 });
  return eventually(
    async () => {
      const { items } = accountsSchema.parse((await call('GET', '/bank-accounts')).body);
      const found = items.find(({ id }) => id === added.body['id']);
      expect(found?.status).toBe('VERIFIED');
      return found?.id ?? '';
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
};

/** Buys gold for a new customer, and adds a verified bank account for the proceeds. */
export const newSeller = async (
  system: RunningSystem,
  { rupees = '1000', accountEnd }: { rupees?: string; accountEnd?: string } = {},
): Promise<TestSeller> => {
  const client = await system.newCustomer();
  const buy = await client.buy(rupees);
  await system.sandbox.pay(buy.gatewayOrderId);
  await client.becomes(buy.orderId, 'ALLOCATED', { timeoutMs: 60_000 });
  const accountNumber = newAccountNumber(accountEnd);
  const bankAccountId = await addVerifiedAccount(client, accountNumber);
  return { client, bankAccountId, accountNumber };
};

/** Sells grams with `POST /gold/sell` and returns the answer, whatever its status. */
export const requestSale = (
  { client, bankAccountId }: TestSeller,
  grams: string,
  { key = newKey(), call = client.call }: { key?: string; call?: Call } = {},
): Promise<Answer> =>
  call('POST', '/gold/sell', {
    unit: 'GRAMS',
    amount: grams,
    bank_account_id: bankAccountId,
    idempotency_key: key,
  });

/** Reads the sale from a 201 or 200 of `POST /gold/sell`. */
export const soldOf = (answer: Answer): SoldView => {
  expect([200, 201]).toContain(answer.status);
  return sellSchema.parse(answer.body);
};

/** Waits until the payout has this status, and returns it. */
export const payoutBecomes = ({ client }: TestSeller, payoutId: string, status: string) =>
  eventually(
    async () => {
      const { body } = await client.call('GET', `/payouts/${payoutId}`);
      expect(body['status']).toBe(status);
      return body;
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
