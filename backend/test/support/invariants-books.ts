import type { Client } from 'pg';
import { z } from 'zod';
import { comparePayouts, type Violation } from './invariants-payouts.ts';

const transactionsSchema = z.object({
  items: z.array(
    z.object({
      txId: z.union([z.string(), z.number()]).transform(String),
      side: z.enum(['buy', 'sell']),
      userId: z.union([z.string(), z.number()]).transform(String),
      grams: z.string(),
      amountPaise: z.union([z.string(), z.number()]).transform(BigInt),
      status: z.number(),
    }),
  ),
});

const paymentsSchema = z.object({
  items: z.array(
    z.object({
      gateway_payment_id: z.string(),
      gateway_order_id: z.string(),
      amount_paise: z.number(),
      currency: z.string(),
      status: z.string(),
    }),
  ),
});

const journalSchema = z.object({
  entries: z.array(
    z.object({
      seq: z.number(),
      operation: z.string(),
      path: z.string(),
      body: z.unknown(),
      status: z.number().nullable(),
      response: z.unknown(),
    }),
  ),
});

const deliveriesSchema = z.object({
  deliveries: z.array(
    z.object({
      event: z.string(),
      path: z.string(),
      state: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  ),
});

const read = async <S extends z.ZodType>(
  sandboxUrl: string,
  path: string,
  schema: S,
): Promise<z.output<S>> => {
  const response = await fetch(`${sandboxUrl}/_control${path}`);
  return schema.parse(await response.json());
};

interface OrderRow {
  readonly id: string;
  readonly status: string;
  readonly provider_tx_id: string;
  readonly provider_user_id: string | null;
  readonly grams: string | null;
  readonly provider_amount_paise: string;
  readonly is_sell: boolean;
  /** Its gold has moved: allocated, or sold. */
  readonly is_done: boolean;
  readonly is_undecided: boolean;
}

const ordersSql = `
  SELECT o.id, o.status, o.provider_tx_id, u.provider_user_id, trim_scale(o.grams)::text AS grams,
    o.provider_amount_paise::text, o.type = 'SELL' AS is_sell,
    o.allocated_at IS NOT NULL OR o.status IN ('CONFIRMED', 'COMPLETED') AS is_done,
    o.status = 'VERIFIED' OR EXISTS (SELECT 1 FROM provider_operation c WHERE c.order_id = o.id
      AND c.status IN ('INTENDED', 'UNKNOWN')) AS is_undecided
  FROM gold_order o JOIN app_user u ON u.id = o.user_id
  WHERE o.provider_tx_id IS NOT NULL`;

const says = {
  books: "an order whose gold has moved is one trade in the provider's books, of its figures",
  strange: 'every trade at the provider is of an order here that has it or is finding out',
  balance: "the provider's balance of a customer is the holding and what went to the house of it",
  again: 'no confirm is sent for a transaction whose status already said that it is done',
  gateway: 'a captured payment is recorded here as it is at the gateway',
  total: 'the rupees recorded as captured are all that the gateway captured',
  inbox: 'a delivered event is in the inbox',
} as const;

/** Units of 0.00000001 g of a decimal. */
const units = (grams: string): bigint => {
  const [whole = '0', fraction = ''] = grams.split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
};

/** Invariant 4, held against the provider's own books. */
const checkProvider = async (client: Client, sandboxUrl: string): Promise<Violation[]> => {
  const found: Violation[] = [];
  const report = (rule: keyof typeof says, row: object): void => {
    found.push({ invariant: 4, says: says[rule], row });
  };
  // Of a system that has settled: between the two reads nothing must move.
  const { items } = await read(sandboxUrl, '/transactions?limit=100000', transactionsSchema);
  const { rows: orders } = await client.query<OrderRow>(ordersSql);
  const traded = new Map(items.filter((tx) => tx.status === 1).map((tx) => [tx.txId, tx]));
  const byTx = new Map(orders.map((order) => [order.provider_tx_id, order]));
  for (const order of orders.filter(({ is_done: isDone }) => isDone)) {
    const tx = traded.get(order.provider_tx_id);
    const agrees =
      tx !== undefined &&
      tx.side === (order.is_sell ? 'sell' : 'buy') &&
      tx.userId === order.provider_user_id &&
      units(tx.grams) === units(order.grams ?? '0') &&
      tx.amountPaise === BigInt(order.provider_amount_paise);
    if (!agrees) report('books', { order, provider: tx });
  }
  for (const tx of traded.values()) {
    const order = byTx.get(tx.txId);
    const isKnown = order?.is_done === true || order?.is_undecided === true;
    if (!isKnown) report('strange', { order, provider: tx });
  }
  const { rows: holdings } = await client.query<{ provider_user_id: string; balance: string }>(
    `SELECT u.provider_user_id, sum(h.balance - coalesce((
         SELECT sum(m.grams) FROM holding_movement m
         WHERE m.user_id = h.user_id AND m.kind IN ('FORFEITED', 'RECOVERED')), 0))::text AS balance
     FROM holding h JOIN app_user u ON u.id = h.user_id
     WHERE u.provider_user_id IS NOT NULL
     GROUP BY u.provider_user_id`,
  );
  for (const { provider_user_id: userId, balance } of holdings) {
    const own = items.filter((tx) => tx.userId === userId);
    const atProvider = own.reduce((sum, { side, status, grams, txId }) => {
      const hasMoved = byTx.get(txId)?.is_done === true;
      if (!hasMoved || (status !== 1 && status !== 3)) return sum;
      return side === 'sell' ? sum - units(grams) : sum + units(grams);
    }, 0n);
    if (atProvider !== units(balance)) {
      report('balance', { userId, balance, atProvider: atProvider.toString() });
    }
  }
  return found;
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Invariant 4, held against the calls that the provider received. */
const checkConfirms = async (sandboxUrl: string): Promise<Violation[]> => {
  const path = '/journal?collaborator=safegold';
  const { entries } = await read(sandboxUrl, path, journalSchema);
  const knownAsDone = new Set<string>();
  const found: Violation[] = [];
  for (const entry of entries) {
    if (entry.operation.endsWith('-status') && fieldOf(entry.response, 'status') === 1) {
      knownAsDone.add(/\/(?:buy|sell)-gold\/(\w+)\//u.exec(entry.path)?.[1] ?? '');
    }
    const txId = String(fieldOf(entry.body, 'tx_id'));
    if (entry.operation.endsWith('-confirm') && knownAsDone.has(txId)) {
      found.push({ invariant: 4, says: says.again, row: entry });
    }
  }
  return found;
};

/** Invariant 3, held against the gateway's own books. */
const checkGateway = async (client: Client, sandboxUrl: string): Promise<Violation[]> => {
  const { items } = await read(sandboxUrl, '/payments?limit=100000', paymentsSchema);
  const { rows } = await client.query<{ id: string; amount: string; currency: string }>(
    `SELECT gateway_payment_id AS id, amount_paise::text AS amount, currency
     FROM gateway_payment WHERE status IN ('CAPTURED', 'REFUNDED')`,
  );
  const ours = new Map(rows.map((row) => [row.id, row]));
  const captured = items.filter(({ status }) => status === 'captured');
  const found: Violation[] = [];
  for (const payment of captured) {
    const own = ours.get(payment.gateway_payment_id);
    const agrees =
      own?.amount === String(payment.amount_paise) && own.currency === payment.currency;
    if (!agrees) found.push({ invariant: 3, says: says.gateway, row: { payment, ours: own } });
  }
  const atGateway = captured.reduce((sum, payment) => sum + BigInt(payment.amount_paise), 0n);
  const recorded = rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  if (atGateway !== recorded) {
    const row = { atGateway: atGateway.toString(), recorded: recorded.toString() };
    found.push({ invariant: 3, says: says.total, row });
  }
  return found;
};

/** The headers in which gateways send the id of an event. */
const eventIdHeaders = ['x-gateway-event-id', 'x-razorpay-event-id', 'x-idempotency-key'];

/** Invariant 8, held against what the gateway was told that we have. */
const checkDeliveries = async (client: Client, sandboxUrl: string): Promise<Violation[]> => {
  const { deliveries } = await read(sandboxUrl, '/webhooks', deliveriesSchema);
  const { rows } = await client.query<{ event_id: string }>(
    `SELECT event_id FROM webhook_event WHERE source = 'payment' AND event_id IS NOT NULL`,
  );
  const ours = new Set(rows.map(({ event_id: id }) => id));
  return deliveries
    .filter(({ state, path }) => state === 'delivered' && path.includes('/payment/'))
    .filter(({ headers }) => !eventIdHeaders.some((name) => ours.has(headers[name] ?? '')))
    .map((row) => ({ invariant: 8, says: says.inbox, row }));
};

/** Holds the collaborators' books, as the sandbox keeps them, against the database. */
export const compareBooks = async (client: Client, sandboxUrl: string): Promise<Violation[]> => [
  ...(await checkProvider(client, sandboxUrl)),
  ...(await checkConfirms(sandboxUrl)),
  ...(await checkGateway(client, sandboxUrl)),
  ...(await checkDeliveries(client, sandboxUrl)),
  ...(await comparePayouts(client, sandboxUrl)),
];
