import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import type { GatewayPayment, PaymentGateway } from '../../src/adapters/payment-gateway/port.ts';
import type { PayoutProvider } from '../../src/adapters/payout-provider/port.ts';
import { gramsFromDatabase, paise } from '../../src/money/index.ts';
import type { Collaborators } from '../../src/modules/reconciliation/reconciliation.types.ts';
import { done } from '../../src/platform/outcome/outcome.ts';
import { withConnection } from '../../dev/stack/database-setup.ts';

interface PaymentRow {
  readonly id: string;
  readonly gateway_order_id: string;
  readonly amount: string;
  readonly at: Date;
}

interface PayoutRow {
  readonly id: string;
  readonly amount: string;
  readonly status: 'PAID' | 'FAILED' | 'PROCESSING';
}

const rowsOf = <T extends object>(url: string, sql: string, from: Date): Promise<T[]> =>
  withConnection(url, async (client) => (await client.query<T>(sql, [from])).rows);

const traded = `
  SELECT provider_tx_id AS id FROM gold_order
  WHERE created_at >= $1 AND (allocated_at IS NOT NULL OR status IN ('CONFIRMED', 'COMPLETED'))`;
const balances = `
  SELECT u.provider_user_id AS id, h.balance::text AS grams
  FROM holding h JOIN app_user u ON u.id = h.user_id WHERE h.updated_at >= $1`;
const captured = `
  SELECT gateway_payment_id AS id, gateway_order_id, amount_paise::text AS amount, learned_at AS at
  FROM gateway_payment WHERE learned_at >= $1 AND status = 'CAPTURED'`;
const paidOut = `
  SELECT a.provider_payout_id AS id, p.amount_paise::text AS amount, a.status
  FROM payout_attempt a JOIN payout p ON p.id = a.payout_id WHERE a.started_at >= $1`;

/** Waits as long as an answer takes. */
type Delay = () => Promise<void>;

const atOnce: Delay = () => Promise.resolve();
const pageRows = 100;

/** Returns one page of rows, as vendors list them. */
const pageOf = <T>(rows: readonly T[], page: number) => ({
  rows: rows.slice((page - 1) * pageRows, page * pageRows),
  unreadSubjects: [],
  hasMore: rows.length > page * pageRows,
});

const createProvider = async (url: string, from: Date, delay: Delay): Promise<GoldProvider> => {
  const confirmed = new Set((await rowsOf<{ id: string }>(url, traded, from)).map(({ id }) => id));
  const rows = await rowsOf<{ id: string; grams: string }>(url, balances, from);
  const held = new Map(rows.map(({ id, grams }) => [id, gramsFromDatabase(grams)]));
  const status: GoldProvider['buyStatus'] = async ({ providerTxId }) => {
    await delay();
    return done(confirmed.has(providerTxId) ? 'SUCCESS' : 'NOT_CONFIRMED');
  };
  const provider: Partial<GoldProvider> = {
    code: 'safegold',
    buyStatus: status,
    sellStatus: status,
    async getUser(providerUserId) {
      await delay();
      const goldBalanceGrams = held.get(providerUserId) ?? gramsFromDatabase('0');
      return done({ providerUserId, goldBalanceGrams });
    },
  };
  return provider as GoldProvider; // a report calls no other methods
};

const createGateway = async (url: string, from: Date, delay: Delay): Promise<PaymentGateway> => {
  const known = new Map<string, GatewayPayment[]>();
  for (const { id, gateway_order_id: gatewayOrderId, amount, at } of await rowsOf<PaymentRow>(
    url,
    captured,
    from,
  )) {
    const payment = { gatewayPaymentId: id, gatewayOrderId, amountPaise: paise(BigInt(amount)) };
    const gatewayPayment = {
      ...payment,
      currency: 'INR',
      status: 'CAPTURED',
      createdAt: at,
    } as const;
    known.set(gatewayOrderId, [...(known.get(gatewayOrderId) ?? []), gatewayPayment]);
  }
  const all = [...known.values()].flat();
  const listNone = async () => {
    await delay();
    return done(pageOf([], 1));
  };
  const gateway: Partial<PaymentGateway> = {
    code: 'sandbox',
    account: {
      async payments({ page }) {
        await delay();
        return done(pageOf(all, page));
      },
      refunds: listNone,
      disputes: listNone,
    },
    listPayments: async (gatewayOrderId) => done(known.get(gatewayOrderId) ?? []),
    getRefunds: async () => done([]),
    getDisputes: async () => done([]),
  };
  return gateway as PaymentGateway; // a report calls no other methods
};

const createPayoutProvider = async (
  url: string,
  from: Date,
  delay: Delay,
): Promise<PayoutProvider> => {
  const rows = await rowsOf<PayoutRow>(url, paidOut, from);
  const known = new Map(rows.map((row) => [row.id, row]));
  const payoutOf = (id: string, row: PayoutRow | undefined) => {
    const amountPaise = paise(BigInt(row?.amount ?? '0'));
    const status = row?.status ?? 'PROCESSING';
    return { providerPayoutId: id, amountPaise, status, providerStatus: status } as const;
  };
  const provider: Partial<PayoutProvider> = {
    code: 'razorpayx',
    async getPayout(id) {
      await delay();
      return done(payoutOf(id, known.get(id)));
    },
    async listPayouts({ page }) {
      await delay();
      const { rows: found, hasMore } = pageOf(rows, page);
      return done({ payouts: found.map((row) => payoutOf(row.id, row)), unreadable: 0, hasMore });
    },
  };
  return provider as PayoutProvider; // a report calls no other methods
};

/**
 * Creates collaborators whose answers agree with the books since `from`. They answer at once unless
 * a delay is given, so that only the cost of a report itself is measured.
 */
export const createAgreeingCollaborators = async (
  url: string,
  from: Date,
  delay: Delay = atOnce,
): Promise<Collaborators> => {
  const gateway = await createGateway(url, from, delay);
  return {
    goldProvider: await createProvider(url, from, delay),
    gateways: new Map([[gateway.code, gateway]]),
    payoutProvider: await createPayoutProvider(url, from, delay),
  };
};
