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

const createProvider = async (url: string, from: Date): Promise<GoldProvider> => {
  const done1 = new Set((await rowsOf<{ id: string }>(url, traded, from)).map(({ id }) => id));
  const rows = await rowsOf<{ id: string; grams: string }>(url, balances, from);
  const held = new Map(rows.map(({ id, grams }) => [id, gramsFromDatabase(grams)]));
  const status: GoldProvider['buyStatus'] = async ({ providerTxId }) =>
    done(done1.has(providerTxId) ? 'SUCCESS' : 'NOT_CONFIRMED');
  const provider: Partial<GoldProvider> = {
    code: 'safegold',
    buyStatus: status,
    sellStatus: status,
    getUser: async (providerUserId) =>
      done({
        providerUserId,
        goldBalanceGrams: held.get(providerUserId) ?? gramsFromDatabase('0'),
      }),
  };
  return provider as GoldProvider; // a report asks for nothing else
};

const createGateway = async (url: string, from: Date): Promise<PaymentGateway> => {
  const known = new Map<string, GatewayPayment[]>();
  for (const { id, gateway_order_id: gatewayOrderId, amount, at } of await rowsOf<PaymentRow>(
    url,
    captured,
    from,
  )) {
    const payment = { gatewayPaymentId: id, gatewayOrderId, amountPaise: paise(BigInt(amount)) };
    const shown = { ...payment, currency: 'INR', status: 'CAPTURED', createdAt: at } as const;
    known.set(gatewayOrderId, [...(known.get(gatewayOrderId) ?? []), shown]);
  }
  const gateway: Partial<PaymentGateway> = {
    code: 'sandbox',
    listPayments: async (gatewayOrderId) => done(known.get(gatewayOrderId) ?? []),
    getRefunds: async () => done([]),
    getDisputes: async () => done([]),
  };
  return gateway as PaymentGateway; // a report asks for nothing else
};

const createPayoutProvider = async (url: string, from: Date): Promise<PayoutProvider> => {
  const rows = await rowsOf<PayoutRow>(url, paidOut, from);
  const known = new Map(rows.map((row) => [row.id, row]));
  const provider: Partial<PayoutProvider> = {
    code: 'razorpayx',
    async getPayout(id) {
      const row = known.get(id);
      const amountPaise = paise(BigInt(row?.amount ?? '0'));
      const status = row?.status ?? 'PROCESSING';
      return done({ providerPayoutId: id, amountPaise, status, providerStatus: status });
    },
  };
  return provider as PayoutProvider; // a report asks for nothing else
};

/**
 * Creates collaborators that answer at once, and as the books since `from` say: what a report then
 * costs is its own.
 */
export const createAgreeingCollaborators = async (
  url: string,
  from: Date,
): Promise<Collaborators> => {
  const gateway = await createGateway(url, from);
  return {
    goldProvider: await createProvider(url, from),
    gateways: new Map([[gateway.code, gateway]]),
    payoutProvider: await createPayoutProvider(url, from),
  };
};
