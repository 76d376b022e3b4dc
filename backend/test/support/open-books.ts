import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { createPaymentGateways } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import { createAdmins, type AdminRole } from '../../src/modules/admins/index.ts';
import {
  createReconciliation,
  type CheckId,
  type ReconciliationDeps,
} from '../../src/modules/reconciliation/index.ts';
import { withConnection } from '../../src/apps/dev/database-setup.ts';
import { bearerCaller, createCaller, type Answer, type Caller } from './caller.ts';
import { customerGuard, environmentOf, openGates, openTrade } from './books-trade.ts';
import { eventually } from './eventually.ts';
import { createFactories, type Factories } from './factories.ts';
import { openKit, type Kit } from './open-kit.ts';
import { runQueuedJobs } from './run-queued-jobs.ts';

export interface Trader {
  readonly userId: string;
  readonly providerUserId: string;
  readonly call: Caller;
}

export interface Bought extends Trader {
  readonly orderId: string;
  readonly paymentOrderId: string;
  readonly gatewayOrderId: string;
  readonly txId: string;
}

export interface Sold extends Trader {
  readonly orderId: string;
  readonly payoutId: string;
}

export interface ReportedCheck {
  readonly id: CheckId;
  readonly severity: string;
  readonly status: 'OK' | 'FINDINGS' | 'ERROR';
  readonly count: number;
  readonly samples: readonly Readonly<Record<string, unknown>>[];
  readonly detail?: string;
}

/** The whole trade of one process and the reconciliation of its books, on the real sandbox. */
export interface OpenBooks {
  readonly kit: Kit;
  readonly factories: Factories;
  readonly trade: ReturnType<typeof openTrade>;
  /** What the processes of the service use, for a reconciliation of other limits. */
  readonly deps: ReconciliationDeps;
  operator(role?: AdminRole): Promise<Caller>;
  customer(): Promise<Trader>;
  /** A buy that waits for its payment. */
  place(trader: Trader, rupees?: string): Promise<Bought>;
  /** Plays the customer at the checkout. */
  pay(bought: Bought, play?: object): Promise<void>;
  /** A buy, paid and allocated. */
  buy(trader?: Trader, rupees?: string): Promise<Bought>;
  /** A sell of what was bought for it, confirmed; its payout is on its way unless it is too big. */
  sell(rupees?: string, boughtFor?: string): Promise<Sold>;
  /** A sell as far as it goes. */
  askToSell(trader: Trader, rupees: string): Promise<Answer>;
  /** What the provider makes of a payout. */
  playPayout(payoutId: string, outcome: string, more?: object): Promise<void>;
  /** Posts a webhook of the payment gateway. */
  deliverPayment(body: string, headers: Readonly<Record<string, string>>): Promise<Answer>;
  drain(): Promise<void>;
  statusOf(orderId: string): Promise<string>;
  /** As the owner of the tables: what the application itself may not do. */
  asOwner(sql: string, ...values: readonly unknown[]): Promise<void>;
  report(windowHours?: number | string): Promise<Answer>;
  checks(): Promise<ReadonlyMap<CheckId, ReportedCheck>>;
  /** The same by a process that has asked nobody before: no circuit is open. */
  freshChecks(): Promise<ReadonlyMap<CheckId, ReportedCheck>>;
  /** The route, by whoever has this token. */
  reportAs(token: string | undefined): Promise<Answer>;
  control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

const must = (answer: Answer, status: number): Answer => {
  if (answer.status === status) return answer;
  throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
};

let keys = 0;
const newKey = (): string => {
  keys += 1;
  return `books-${String(keys).padStart(6, '0')}`;
};

const partOf = (answer: Answer, name: string): Record<string, unknown> =>
  // The form of an answer is its own route's, checked there.
  answer.body[name] as Record<string, unknown>;

const place: OpenBooks['place'] = async (trader, rupees = '1000') => {
  const body = { unit: 'INR', amount: rupees, idempotency_key: newKey() };
  const placed = must(await trader.call('POST', '/gold/buy', body), 201);
  const [order, payment] = [partOf(placed, 'order'), partOf(placed, 'payment')];
  return {
    ...trader,
    orderId: String(order['id']),
    txId: String(order['sg_tx_id']),
    paymentOrderId: String(payment['id']),
    gatewayOrderId: String(payment['gateway_order_id']),
  };
};
/** Opens it; webhooks of the sandbox find their way. */
export const openBooks = async (): Promise<OpenBooks> => {
  const kit = await openKit();
  const { db, sandbox } = kit;
  const trade = openTrade(kit);
  const factories = createFactories({ ...kit, provider: trade.provider });
  await openGates(kit, factories);
  const deps: ReconciliationDeps = {
    ...kit,
    gateways: trade.gateways,
    goldProvider: trade.provider,
    payoutProvider: trade.payoutProvider,
  };
  const url = await kit.serve({
    prefix: '/v1',
    guard: customerGuard,
    routes: [
      ...trade.gold.customerRoutes,
      ...trade.payments.customerRoutes,
      ...trade.banking.customerRoutes,
      ...trade.payouts.customerRoutes,
      ...trade.payouts.webhookRoutes,
    ],
  });
  const adminUrl = await kit.serve({
    prefix: '/v1',
    guard: createAdmins({ ...kit, tokenTtlSeconds: 3600 }).guard,
    routes: [
      ...trade.gold.adminRoutes,
      ...trade.payouts.adminRoutes,
      ...createReconciliation(deps).adminRoutes,
    ],
  });
  sandbox.sandbox.setCustomerBaseUrl(url.slice(0, -'/v1'.length));
  const jobs = {
    ...trade.gold.jobs,
    ...trade.payments.jobs,
    ...trade.banking.jobs,
    ...trade.payouts.jobs,
  };

  const control: OpenBooks['control'] = async (method, path, body) => {
    const told = await sandbox.control(method, path, body);
    if (told.status >= 300) throw new Error(`${path}: ${told.text}`);
    return told.body;
  };
  const drain = async (): Promise<void> => {
    const [thrown] = await runQueuedJobs(kit, jobs);
    if (thrown !== undefined) throw thrown;
  };
  const statusOf = async (orderId: string): Promise<string> =>
    (await db.goldOrder.findUniqueOrThrow({ where: { id: orderId } })).status;
  const operator = async (role: AdminRole = 'SUPER_ADMIN'): Promise<Caller> =>
    bearerCaller(adminUrl, (await factories.admin(role)).token);
  const support = await operator('SUPPORT');
  const customer = async (): Promise<Trader> => {
    const { userId, providerUserId } = await factories.approvedCustomer();
    return { userId, providerUserId, call: bearerCaller(url, userId) };
  };

  const pay: OpenBooks['pay'] = async ({ gatewayOrderId }, play = {}) => {
    await control('POST', `/payments/${gatewayOrderId}`, { outcome: 'captured', ...play });
  };
  const becomes = (orderId: string, status: string): Promise<void> =>
    eventually(async () => {
      await drain();
      const found = await statusOf(orderId);
      if (found !== status) throw new Error(`order ${orderId} is ${found}`);
    });
  const buy: OpenBooks['buy'] = async (trader, rupees) => {
    const bought = await place(trader ?? (await customer()), rupees);
    await pay(bought);
    await becomes(bought.orderId, 'ALLOCATED');
    return bought;
  };

  /** Verified; payouts to it stay open until they are played. */
  const addAccount = async ({ call }: Trader): Promise<string> => {
    const body = {
      accountNumber: `${kit.random.digits(8)}9999`,
      ifsc: 'HDFC0000053',
      holderName: 'Asha Rao',
    };
    const id = String(must(await call('POST', '/bank-accounts', body), 201).body['id']);
    await drain();
    await control('POST', `/validations/${id}`, { outcome: 'active' });
    await eventually(async () => {
      const { status } = await db.bankAccount.findUniqueOrThrow({ where: { id } });
      if (status !== 'VERIFIED') throw new Error(`account ${id} is ${status}`);
    });
    return id;
  };

  const askToSell = async (trader: Trader, rupees: string): Promise<Answer> => {
    const accountId = await addAccount(trader);
    const amount = { unit: 'INR', amount: rupees, bank_account_id: accountId };
    return trader.call('POST', '/gold/sell', { ...amount, idempotency_key: newKey() });
  };

  return {
    kit,
    factories,
    trade,
    deps,
    operator,
    customer,
    place,
    pay,
    buy,
    deliverPayment: (body, headers) =>
      createCaller(url, headers)('POST', '/webhooks/payment/sandbox', body),
    drain,
    statusOf,
    control,
    askToSell,
    async sell(rupees = '500', boughtFor = '1000') {
      const bought = await buy(undefined, boughtFor);
      const sold = must(await askToSell(bought, rupees), 201);
      await drain();
      const { userId, providerUserId, call } = bought;
      const orderId = String(partOf(sold, 'order')['id']);
      const payoutId = String(partOf(sold, 'payout')['id']);
      return { userId, providerUserId, call, orderId, payoutId };
    },
    async playPayout(payoutId, outcome, more = {}) {
      await control('POST', `/payouts/${payoutId}`, { outcome, ...more });
    },
    asOwner: (sql, ...values) =>
      withConnection(kit.addresses.migrateUrl, async (client) => {
        await client.query(sql, [...values]);
      }),
    report: (windowHours) =>
      support(
        'GET',
        windowHours === undefined
          ? '/reconciliation'
          : `/reconciliation?window_hours=${encodeURIComponent(windowHours)}`,
      ),
    async checks() {
      const { body } = must(await support('GET', '/reconciliation'), 200);
      const checks = body['checks'] as ReportedCheck[]; // the route's own schema was checked
      return new Map(checks.map((check) => [check.id, check]));
    },
    async freshChecks() {
      const [env, base] = [environmentOf(kit), { clock: kit.clock, logger: kit.logger }];
      const goldProvider = createGoldProvider(env, base);
      const gateways = createPaymentGateways(env, base);
      const payoutProvider = createPayoutProvider(env, base);
      const fresh = createReconciliation({ ...kit, goldProvider, gateways, payoutProvider });
      const { checks } = await fresh.report(72);
      for (const used of [goldProvider, payoutProvider, ...gateways.values()]) await used.close();
      return new Map(checks.map((check) => [check.id, check]));
    },
    reportAs: (token) => bearerCaller(adminUrl, token)('GET', '/reconciliation'),
    async advance(seconds) {
      kit.clock.advance(seconds * 1000);
      await control('POST', '/clock', { advanceSeconds: seconds });
    },
    async close() {
      await trade.close();
      await kit.close();
    },
  };
};
