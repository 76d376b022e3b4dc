import { Client } from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createSellers, newIdempotencyKey } from '#test/support/sellers.ts';

/** The statements of no flow: of the watch, of a new connection and of this file. */
const unrelatedStatements = /transaction_read_only|current_setting\('TimeZone'\)|-- of the test/u;

const textOf = (config: unknown): unknown =>
  typeof config === 'object' && config !== null ? Reflect.get(config, 'text') : config;

interface Sent {
  readonly client: object;
  readonly text: string;
}

const sent: Sent[] = [];
// Each pool of this file gets the function when it connects.
const original: unknown = Reflect.get(Client.prototype, 'query');
Reflect.set(Client.prototype, 'query', function query(this: Client, ...given: unknown[]): unknown {
  const text = textOf(given[0]);
  if (typeof text === 'string' && !unrelatedStatements.test(text))
    sent.push({ client: this, text });
  return Reflect.apply(original as () => unknown, this, given);
});
afterAll(() => void Reflect.set(Client.prototype, 'query', original));

const sentBy = async (work: () => Promise<void>): Promise<readonly Sent[]> => {
  sent.length = 0;
  await work();
  return [...sent];
};

/** Returns the statements that a piece of work sends, including `BEGIN` and `COMMIT`. */
const statementsOf = async (work: () => Promise<void>): Promise<readonly string[]> =>
  (await sentBy(work)).map(({ text }) => text);

/**
 * Returns the statements of the longest transaction. Two events report a payment, each in one
 * transaction, and the second event changes nothing.
 */
const longestTransaction = (statements: readonly Sent[]): readonly string[] => {
  const open = new Map<object, string[]>();
  let longest: readonly string[] = [];
  for (const { client, text } of statements) {
    const own = text === 'BEGIN' ? [] : (open.get(client) ?? []);
    own.push(text);
    open.set(client, own);
    if (own.length > longest.length) longest = own;
  }
  return longest;
};

const it = goldTest();

type Flow = 'buy' | 'webhook' | 'allocation' | 'sell';

/**
 * The maximum number of round trips of each flow, without the one for the session. Each takes as
 * long as the way to the database and back, and most of them hold a lock for that time.
 */
const budgets: Readonly<Record<Flow, number>> = { buy: 16, webhook: 12, allocation: 12, sell: 30 };

/** Lets a customer buy, pay, get the gold and sell it. Returns the statements of each flow. */
const runAllFlows = async (open: OpenGold): Promise<Record<Flow, readonly string[]>> => {
  const customer = await open.newCustomer();
  const { call } = customer;
  const { db } = open.database;
  // The customer's data key and the caches of the processes are filled, as in normal operation.
  await open.vault.forUser(db, customer.id);
  let placed = await call('GET', '/portfolio');
  const buy = await statementsOf(async () => {
    const body = { unit: 'INR', amount: '1000', idempotency_key: newIdempotencyKey() };
    placed = await call('POST', '/gold/buy', body);
  });
  expect(placed.status).toBe(201);
  const { order, payment } = placed.body;
  const subject: string = payment.gateway_order_id;
  const reported = await sentBy(async () => {
    await open.sandbox.control('POST', `/payments/${subject}`, { outcome: 'captured' });
    await eventually(async () => {
      const rows = await db.$queryRaw<unknown[]>`
        SELECT 1 AS applied FROM webhook_event
        WHERE subject = ${subject} AND status = 'APPLIED' -- of the test`;
      expect(rows).toHaveLength(2);
    });
  });
  const allocation = await statementsOf(() => open.allocate(order.id));
  const { bankAccount, sell: sellGrams } = createSellers(open);
  const bankAccountId = await bankAccount(customer.id);
  const seller = { ...customer, bankAccountId, grams: '0.0500', investedPaise: 0n };
  let sold = placed;
  const sell = await statementsOf(async () => {
    sold = await sellGrams(seller, '0.0500');
  });
  expect(sold.status).toBe(201);
  return { buy, webhook: longestTransaction(reported), allocation, sell };
};

const brief = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ').slice(0, 110);

/** Returns the statements of a flow that exceeds its budget, one per line. */
const overBudget = (flow: Flow, statements: readonly string[]): string | undefined =>
  statements.length <= budgets[flow]
    ? undefined
    : `${flow} sends ${statements.length}:\n${statements.map(brief).join('\n')}`;

describe('the round trips to the database', () => {
  it('of a buy, its webhook, its allocation and a sale stay within the budgets', async ({
    open,
  }) => {
    await runAllFlows(open);
    const flows = Object.entries(await runAllFlows(open)) as [Flow, readonly string[]][];
    const over = flows.map(([flow, statements]) => overBudget(flow, statements));
    expect(over.filter((text) => text !== undefined)).toEqual([]);
  });
});
