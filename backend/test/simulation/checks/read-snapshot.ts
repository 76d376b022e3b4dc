import type { Client } from 'pg';

interface OrderRow {
  readonly id: string;
  readonly user: string;
  readonly type: 'BUY' | 'SELL' | 'SIP_INSTALLMENT';
  readonly status: string;
  readonly code: string | null;
  readonly grams: string | null;
  readonly amount: number;
  readonly plan: string | null;
  /** The number of an installment in its plan, from 1. */
  readonly number: number | null;
  readonly allocatedAt: number | null;
  readonly hasGold: boolean;
  readonly recovered: boolean;
}

interface HoldingRow {
  readonly id: string;
  readonly balance: string;
  readonly reserved: string;
  readonly invested: number;
}

interface PayoutRow {
  readonly id: string;
  readonly order: string;
  readonly status: string;
  readonly amount: number;
  readonly attempt: number;
  readonly approved: boolean;
}

interface PaymentOrderRow {
  readonly id: string;
  readonly order: string;
  readonly status: string;
  readonly gatewayOrder: string | null;
  readonly gateway: string | null;
  /** The due time of a mandate's debit, and below true once its request was sent to the gateway. */
  readonly debitAt: number | null;
  readonly debitSent: boolean;
}

export interface PlanRow {
  readonly id: string;
  readonly status: string;
  readonly raised: number;
  readonly passedOver: number;
  readonly nextDueAt: number | null;
}

export interface RewardRow {
  readonly id: string;
  readonly user: string;
  readonly referee: string;
  readonly status: string;
  readonly order: string | null;
  readonly boughtAt: number | null;
  readonly amount: number | null;
}

/** A row of which only the status is read. */
interface StateRow {
  readonly id: string;
  readonly status: string;
}

interface StockRow {
  readonly id: string;
  readonly count: number;
}

type Rows<T> = ReadonlyMap<string, T>;

/** The rows of the database that a story reads. */
export interface Snapshot {
  /** Increases with every transaction that wrote. */
  readonly mark: string;
  /** Every transaction with a lower number had ended, so its rows have been read. */
  readonly horizon: string;
  /** Ids of the rows that were written since the previous snapshot. */
  readonly changed: ReadonlySet<string>;
  readonly orders: Rows<OrderRow>;
  readonly holdings: Rows<HoldingRow>;
  readonly payouts: Rows<PayoutRow>;
  readonly paymentOrders: Rows<PaymentOrderRow>;
  readonly plans: Rows<PlanRow>;
  readonly productOrders: Rows<StateRow & { readonly cash: number }>;
  readonly accounts: Rows<StateRow>;
  readonly rewards: Rows<RewardRow>;
  readonly stock: Rows<StockRow>;
}

export const emptySnapshot = (): Snapshot => ({
  mark: '',
  horizon: '0',
  changed: new Set(),
  orders: new Map(),
  holdings: new Map(),
  payouts: new Map(),
  paymentOrders: new Map(),
  plans: new Map(),
  productOrders: new Map(),
  accounts: new Map(),
  rewards: new Map(),
  stock: new Map(),
});

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/**
 * The columns of each table to read, by the name in the snapshot. A row has the number of the
 * transaction that wrote it. Rows of transactions that had ended before the previous snapshot are
 * not read again.
 */
const tables: Readonly<Record<string, readonly [columns: string, from: string]>> = {
  orders: [
    `t.id, t.user_id AS "user", t.type, t.status, t.manual_review_code AS code,
     trim_scale(t.grams)::text AS grams, t.amount_paise AS amount, t.sip_plan_id AS plan,
     t.installment_no AS number, ${ms('t.allocated_at')} AS "allocatedAt",
     t.allocated_at IS NOT NULL AS "hasGold", t.recovered_at IS NOT NULL AS recovered`,
    'gold_order t',
  ],
  holdings: [
    `t.user_id AS id, trim_scale(t.balance)::text AS balance,
     trim_scale(t.reserved)::text AS reserved, t.invested_paise AS invested`,
    'holding t',
  ],
  payouts: [
    `t.id, t.order_id AS "order", t.status, t.amount_paise AS amount, t.attempt,
     t.approved_at IS NOT NULL AS approved`,
    'payout t',
  ],
  paymentOrders: [
    `t.id, t.order_id AS "order", t.status, t.gateway_order_id AS "gatewayOrder", t.gateway,
     ${ms('t.debit_due_at')} AS "debitAt", t.debit_requested_at IS NOT NULL AS "debitSent"`,
    'payment_order t',
  ],
  plans: [
    `t.id, t.status, t.installments_raised AS raised, t.passed_over AS "passedOver",
     ${ms('t.next_due_at')} AS "nextDueAt"`,
    'sip_plan t',
  ],
  productOrders: ['t.id, t.status, t.cash_received_paise AS cash', 'product_order t'],
  accounts: ['t.id, t.status', 'bank_account t'],
  rewards: [
    `t.id, t.user_id AS "user", r.referee_user_id AS referee, t.status, t.order_id AS "order",
     ${ms('t.bought_at')} AS "boughtAt", t.amount_paise AS amount`,
    'referral_reward t JOIN referral r ON r.id = t.referral_id',
  ],
  stock: ['t.product_id AS id, t.count', 'product_stock t'],
};

const byCreation = new Set(['orders', 'paymentOrders']);

const selectOf = ([name, [columns, from]]: readonly [
  string,
  readonly [string, string],
]): string => {
  const order = byCreation.has(name) ? 'ORDER BY t.created_at, t.id' : '';
  return `(SELECT coalesce(json_agg(r), '[]') FROM (
    SELECT ${columns} FROM ${from} WHERE t.xmin::text::bigint >= $1::bigint ${order}) r)
    AS "${name}"`;
};

const snapshotSql = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, ${Object.entries(
  tables,
)
  .map(selectOf)
  .join(', ')}`;

const markSql = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS mark';

/**
 * Reads the number of the next transaction that will write. Two reads are equal if nothing was
 * written between them.
 */
export const readMark = async (client: Client): Promise<string> =>
  (await client.query<{ mark: string }>({ name: 'mark', text: markSql })).rows[0]?.mark ?? '';

/**
 * Reads the rows that were written since the previous snapshot, into the maps of that snapshot. No
 * row of these tables is ever deleted.
 */
export const readSnapshot = async (
  client: Client,
  mark: string,
  previous: Snapshot,
): Promise<Snapshot> => {
  const query = { name: 'snapshot', text: snapshotSql, values: [previous.horizon] };
  const { rows } = await client.query(query);
  const [row] = rows;
  const changed = new Set<string>();
  for (const name of Object.keys(tables)) {
    const known = previous[name as 'orders'] as Map<string, OrderRow>;
    for (const one of row[name] as readonly OrderRow[]) {
      known.set(one.id, one);
      changed.add(one.id);
    }
  }
  return { ...previous, mark, horizon: row.horizon, changed };
};
