import { createPortfolioCache } from '../modules/holdings/index.ts';
import { createNotify } from '../modules/notifications/index.ts';
import {
  createGates,
  checkFirstAdmin,
  checkMigrations,
  checkSecrets,
  cachePassing,
} from '../modules/readiness/index.ts';
import {
  createPaymentMetrics,
  createPayments,
  listUsableGateways,
  type PaymentsDeps,
} from '../modules/payments/index.ts';
import {
  createOrderAdminRoutes,
  createOrderCustomerRoutes,
  hasOpenSale,
} from '../modules/orders/index.ts';
import {
  createOrderReviewAdminRoutes,
  createReviewAdminRoutes,
} from '../modules/order-reviews/index.ts';
import { createGoldProvider } from '../adapters/gold-provider/create-gold-provider.ts';
import {
  createPaymentGateways,
  gatewayCodes,
  separateByCredentials,
  type CredentialsRule,
} from '../adapters/payment-gateway/create-payment-gateways.ts';
import type { GoldProvider } from '../adapters/gold-provider/port.ts';
import type { PaymentGateway } from '../adapters/payment-gateway/port.ts';
import type { PayoutProvider } from '../adapters/payout-provider/port.ts';
import { createPayoutProvider } from '../adapters/payout-provider/create-payout-provider.ts';
import { hasActiveSuperAdmin } from '../modules/admins/index.ts';
import { createBuying, type BuyingDeps } from '../modules/buying/index.ts';
import { createBanking } from '../modules/banking/index.ts';
import { findUser } from '../modules/identity/index.ts';
import { createPayouts, hasPayoutInFlight, type PayoutHolds } from '../modules/payouts/index.ts';
import { createPlans } from '../modules/plans/index.ts';
import { createPrice, type LivePriceReader } from '../modules/price/index.ts';
import { createQuoteCustomerRoutes } from '../modules/quotes/index.ts';
import { createRecordFirstBuy, createSettleRewards } from '../modules/referrals/index.ts';
import {
  createSellingCustomerRoutes,
  createSellingSweeps,
  type SellingRouteDeps,
} from '../modules/selling/index.ts';
import { createSettings } from '../modules/settings/index.ts';
import { fromSafeBps, fromSafePaise } from '../money/index.ts';
import { ConfigError, type Config, type Environment } from '../platform/config/config.ts';
import type { Db } from '../platform/db/index.ts';
import { createIdempotency } from '../platform/idempotency/index.ts';
import { adapterDeps, type Runtime } from './create-runtime.ts';
import { createUseBound, type UseBound } from '../platform/use-bounds/index.ts';
import type { ProcessConfig } from './load-config.ts';
import type { servicesVariables } from './process.variables.ts';

/**
 * The real milliseconds for which a passing check is cached. Only operators change what it checks.
 */
const checkLifetimeMs = 10_000;

const createServiceGates = (runtime: Runtime, config: ProcessConfig) => {
  const { database, clock, switches, wall, logger } = runtime;
  const { db } = database;
  const checks = [
    checkMigrations(db),
    checkFirstAdmin(() => hasActiveSuperAdmin(db)),
    checkSecrets(config.APP_MODE),
  ];
  const blockingChecks = checks.map((check) => cachePassing(check, checkLifetimeMs, wall));
  return createGates({ db, clock, switches, blockingChecks, logger });
};

/** Reads the configuration of holds on payouts. */
const readPayoutHolds = (config: Config<typeof servicesVariables>): PayoutHolds => {
  const daily = config.PAYOUT_DAILY_AUTO_PAISE;
  return {
    newAccountHours: config.PAYOUT_NEW_ACCOUNT_HOURS,
    nameMatchFloor: config.PAYOUT_NAME_MATCH_FLOOR,
    dailyAutoPaise: daily === undefined ? undefined : fromSafePaise(daily),
    dailyAutoCount: config.PAYOUT_DAILY_AUTO_COUNT,
  };
};

/** Reads the configuration of buying and selling. */
const readGoldSettings = (config: Config<typeof servicesVariables>) => ({
  allocationRetrySeconds: config.ALLOCATION_RETRY_SECONDS,
  priceToleranceBps: fromSafeBps(config.PRICE_TOLERANCE_BPS),
});

/**
 * Returns the data of a customer that gateways and payout providers may get, or undefined for a
 * deleted customer.
 */
const findCustomer = async (client: Db, userId: string) => {
  const user = await findUser(client, userId);
  if (user === undefined || user.phone === null) return undefined;
  const { id, phone, email, fullName } = user;
  return {
    id,
    phone,
    ...(email !== null && { email }),
    ...(fullName !== null && { name: fullName }),
  };
};

/**
 * Checks that test payments reach only test systems. Otherwise test money would buy real gold or be
 * paid out in real rupees.
 * @throws ConfigError
 */
const requireTestSystems = (
  { isProduction, allowTestPayments }: CredentialsRule,
  providers: readonly { readonly code: string; readonly isTestSystem: boolean }[],
): void => {
  const real = providers.find(({ isTestSystem }) => !isTestSystem);
  if (!isProduction || !allowTestPayments || real === undefined) return;
  throw new ConfigError(`ALLOW_TEST_PAYMENTS: ${real.code} is not configured with its test system`);
};

const isAccountInUse = async (client: Db, bankAccountId: string): Promise<boolean> =>
  (await hasOpenSale(client, bankAccountId)) || hasPayoutInFlight(client, bankAccountId);

type ServicesConfig = ProcessConfig & Config<typeof servicesVariables>;

/**
 * Wraps collaborators, or calls between two services, so that a test can make a gateway silent or a
 * process die at a call. Each wrap gets the real service.
 */
export interface ServiceWraps {
  readonly provider: (real: GoldProvider) => GoldProvider;
  readonly gateways: (
    real: ReadonlyMap<string, PaymentGateway>,
  ) => ReadonlyMap<string, PaymentGateway>;
  readonly payoutProvider: (real: PayoutProvider) => PayoutProvider;
  /** Stands between payments and the services that buy. */
  readonly payments: (real: PaymentsDeps) => PaymentsDeps;
  readonly livePrice: (real: LivePriceReader) => LivePriceReader;
  readonly payoutHolds: (real: PayoutHolds) => PayoutHolds;
}

const noWraps: ServiceWraps = {
  provider: (real) => real,
  gateways: (real) => real,
  payoutProvider: (real) => real,
  payments: (real) => real,
  livePrice: (real) => real,
  payoutHolds: (real) => real,
};

interface ServicesOptions {
  readonly receivesWebhooks: boolean;
  /** The wraps of a test. The service's own processes have none. */
  readonly wrap?: Partial<ServiceWraps>;
}

/**
 * Creates the adapters of the gold provider, the payment gateways and the payout provider.
 * @throws ConfigError
 */
const createAdapters = (
  config: ServicesConfig,
  env: Environment,
  runtime: Runtime,
  { receivesWebhooks, wrap }: ServicesOptions,
) => {
  const wraps = { ...noWraps, ...wrap };
  const provider = createGoldProvider(env, adapterDeps(runtime));
  const allGateways = createPaymentGateways(env, { ...adapterDeps(runtime), receivesWebhooks });
  const payoutProvider = createPayoutProvider(env, { ...adapterDeps(runtime), receivesWebhooks });
  const rule = {
    isProduction: config.APP_MODE === 'production',
    allowTestPayments: config.ALLOW_TEST_PAYMENTS,
  };
  requireTestSystems(rule, [provider, payoutProvider]);
  const { gateways, barred } = separateByCredentials(allGateways, rule);
  return {
    provider: wraps.provider(provider),
    gateways: wraps.gateways(gateways),
    /** Codes of configured gateways whose credentials do not fit the installation. */
    barredGateways: new Set(barred.keys()),
    payoutProvider: wraps.payoutProvider(payoutProvider),
    async close(): Promise<void> {
      await provider.close();
      await payoutProvider.close();
      for (const gateway of allGateways.values()) await gateway.close();
    },
  };
};

/** Creates the dependencies that all services share. */
const createShared = (runtime: Runtime) => {
  const { database, random, timers } = runtime;
  const { db, inTransaction } = database;
  const shared = { ...runtime, db, inTransaction, notify: createNotify(runtime) };
  return {
    ...shared,
    portfolios: createPortfolioCache(shared),
    idempotency: createIdempotency({ db, random, timers }),
    observeAllocation: runtime.metrics.observeAllocation,
    observeEvent: runtime.metrics.observeEvent,
  };
};

/** Creates the bounds on the collaborator calls that customers can cause. */
const createUseBounds = (config: ServicesConfig, runtime: Runtime) => ({
  quoteBound: createUseBound({
    ...runtime,
    name: 'quotes',
    most: config.QUOTES_PER_TEN_MINUTES,
    windowMs: 10 * 60_000,
  }),
  questions: createUseBound({
    ...runtime,
    name: 'collaborator_questions',
    most: config.COLLABORATOR_QUESTIONS_PER_MINUTE,
    windowMs: 60_000,
  }),
  invoiceBound: createUseBound({
    ...runtime,
    name: 'invoice_links',
    most: config.INVOICE_LINKS_PER_TEN_MINUTES,
    windowMs: 10 * 60_000,
  }),
});

/** Creates payments, bank accounts and payouts. */
const createMoneyServices = (
  config: ServicesConfig,
  shared: ReturnType<typeof createShared> &
    ReturnType<typeof createUseBounds> & { readonly payoutHolds: PayoutHolds },
  adapters: Pick<PaymentsDeps, 'gateways'> & { readonly payoutProvider: PayoutProvider },
) => {
  const { gateways, payoutProvider: provider } = adapters;
  const paymentsDeps = {
    ...shared,
    gateways,
    liveOnly: config.APP_MODE === 'production',
    metrics: createPaymentMetrics(shared.metrics),
    findCustomer,
  };
  const banking = createBanking({ ...shared, provider, findCustomer, isAccountInUse });
  return {
    paymentsDeps,
    payments: createPayments(paymentsDeps),
    banking,
    payouts: createPayouts({ ...shared, provider, banking }),
    hasUsableGateway: async (): Promise<boolean> =>
      (await listUsableGateways(paymentsDeps)).length > 0,
  };
};

type GoldDeps = BuyingDeps &
  SellingRouteDeps &
  Pick<Runtime, 'audit' | 'metrics'> & { readonly invoiceBound: UseBound };

/** Creates the routes, jobs and sweeps of quotes, purchases, sales and order reviews. */
const createGold = (deps: GoldDeps) => {
  const buying = createBuying(deps);
  return {
    /** Quotes, purchases, sales, `POST /payments/orders`, orders and `/portfolio/history`. */
    customerRoutes: [
      ...createQuoteCustomerRoutes(deps),
      ...createOrderCustomerRoutes(deps),
      ...buying.customerRoutes,
      ...createSellingCustomerRoutes(deps),
    ],
    adminRoutes: [
      ...createOrderAdminRoutes(deps),
      ...createOrderReviewAdminRoutes(deps),
      ...createReviewAdminRoutes(deps),
    ],
    jobs: buying.jobs,
    sweeps: [...buying.sweeps, ...createSellingSweeps(deps)],
    /** The frequent sweeps, which expire quotes and unpaid orders. */
    expirySweeps: buying.expirySweeps,
  };
};

/**
 * Wires the services of every process that deals in gold with their adapters, lowest first:
 * payments, bank accounts and payouts, then the services that buy, sell and review. A process that
 * receives no webhooks needs none of their secrets.
 */
export const createServices = (
  config: ServicesConfig,
  env: Environment,
  runtime: Runtime,
  options: ServicesOptions,
) => {
  const wraps = { ...noWraps, ...options.wrap };
  const adapters = createAdapters(config, env, runtime, options);
  const { provider, payoutProvider } = adapters;
  const shared = {
    ...createShared(runtime),
    ...createUseBounds(config, runtime),
    payoutHolds: wraps.payoutHolds(readPayoutHolds(config)),
  };
  const settings = createSettings(shared);
  const { limits } = settings;
  const price = createPrice({
    ...shared,
    historyDb: runtime.reads.db,
    provider,
    cacheSetting: settings.cacheSetting,
  });
  const gates = createServiceGates(runtime, config);
  const money = createMoneyServices(config, shared, adapters);
  const plansDeps = { ...shared, limits, payments: wraps.payments(money.paymentsDeps), gates };
  const gold = createGold({
    ...plansDeps,
    ...readGoldSettings(config),
    provider,
    price: wraps.livePrice(price.live),
    onAllocated: createRecordFirstBuy(shared),
    maximumPayoutPaise: payoutProvider.rules.maximumImpsPaise,
  });
  return {
    ...adapters,
    ...money,
    /** Every gateway that has an adapter, configured or not. */
    gatewayCodes,
    price,
    settings,
    limits,
    gates,
    portfolios: shared.portfolios,
    invoiceBound: shared.invoiceBound,
    gold,
    plans: createPlans(plansDeps),
    plansDeps,
    settleRewards: createSettleRewards({
      ...shared,
      rewardPaise: fromSafePaise(config.REFERRAL_REWARD_PAISE),
    }),
  };
};

export type Services = ReturnType<typeof createServices>;
