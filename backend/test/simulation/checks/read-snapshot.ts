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
  readonly hasGold: boolean;
  readonly recovered: boolean;
}

interface HoldingRow {
  readonly user: string;
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
}

interface PlanRow {
  readonly id: string;
  readonly status: string;
  readonly raised: number;
}

/** The rows of the database that a story reads. */
export interface Snapshot {
  /** Rises with every transaction that wrote. */
  readonly mark: string;
  readonly orders: ReadonlyMap<string, OrderRow>;
  readonly holdings: ReadonlyMap<string, HoldingRow>;
  readonly payouts: ReadonlyMap<string, PayoutRow>;
  readonly paymentOrders: readonly PaymentOrderRow[];
  readonly plans: ReadonlyMap<string, PlanRow>;
  readonly productOrders: ReadonlyMap<string, string>;
  readonly accounts: ReadonlyMap<string, string>;
}

const rowsOf = (columns: string, from: string): string =>
  `(SELECT coalesce(json_agg(r), '[]') FROM (SELECT ${columns} FROM ${from}) r)`;

const snapshotSql = `SELECT ${[
  `${rowsOf(
    `id, user_id AS "user", type, status, manual_review_code AS code,
     trim_scale(grams)::text AS grams, amount_paise AS amount, sip_plan_id AS plan,
     allocated_at IS NOT NULL AS "hasGold", recovered_at IS NOT NULL AS recovered`,
    'gold_order',
  )} AS orders`,
  `${rowsOf(
    `user_id AS "user", trim_scale(balance)::text AS balance,
     trim_scale(reserved)::text AS reserved, invested_paise AS invested`,
    'holding',
  )} AS holdings`,
  `${rowsOf(
    `id, order_id AS "order", status, amount_paise AS amount,
     attempt, approved_at IS NOT NULL AS approved`,
    'payout',
  )} AS payouts`,
  `${rowsOf(
    `id, order_id AS "order", status, gateway_order_id AS "gatewayOrder", gateway`,
    'payment_order ORDER BY created_at, id',
  )} AS payment_orders`,
  `${rowsOf('id, status, installments_raised AS raised', 'sip_plan')} AS plans`,
  `${rowsOf('id, status', 'product_order')} AS product_orders`,
  `${rowsOf('id, status', 'bank_account')} AS accounts`,
].join(', ')}`;

const markSql = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS mark';

const byId = <T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.id, row]));

const statusById = (rows: readonly { readonly id: string; readonly status: string }[]) =>
  new Map(rows.map(({ id, status }) => [id, status]));

/** The number of the next transaction that will write: equal where nothing was written between. */
export const readMark = async (client: Client): Promise<string> =>
  (await client.query<{ mark: string }>({ name: 'mark', text: markSql })).rows[0]?.mark ?? '';

export const readSnapshot = async (client: Client, mark: string): Promise<Snapshot> => {
  const { rows } = await client.query({ name: 'snapshot', text: snapshotSql });
  const [row] = rows;
  return {
    mark,
    orders: byId<OrderRow>(row.orders),
    holdings: new Map(row.holdings.map((holding: HoldingRow) => [holding.user, holding])),
    payouts: byId<PayoutRow>(row.payouts),
    paymentOrders: row.payment_orders,
    plans: byId<PlanRow>(row.plans),
    productOrders: statusById(row.product_orders),
    accounts: statusById(row.accounts),
  };
};
