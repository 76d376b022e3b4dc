import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import type { OpenSandbox } from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { createGold, type Gold } from '../../src/runtime/create-gold.ts';
import { findCustomer } from '../../src/runtime/create-services.ts';
import { allocateOrder } from '../../src/modules/buying/index.ts';
import {
  createHolding,
  createHoldingRoutes,
  createPortfolioCache,
} from '../../src/modules/holdings/index.ts';
import { createIncidentRoutes } from '../../src/modules/incidents/index.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { createOrderTimelineRoutes } from '../../src/modules/order-timeline/index.ts';
import {
  createPaymentMetrics,
  createPayments,
  type Payments,
  type PaymentsDeps,
} from '../../src/modules/payments/index.ts';
import { noHolds } from '../../src/modules/payouts/index.ts';
import {
  createPlanAdminRoutes,
  createPlans,
  type Plans,
  type PlansDeps,
} from '../../src/modules/plans/index.ts';
import { createPrice, type LivePriceReader } from '../../src/modules/price/index.ts';
import { createGates, evidenceItems, upsertEvidence } from '../../src/modules/readiness/index.ts';
import {
  createRecordFirstBuy,
  createReferralRoutes,
  createRewardAdminRoutes,
  type createSettleRewards,
} from '../../src/modules/referrals/index.ts';
import { createSettings, defaultLimits, type Limits } from '../../src/modules/settings/index.ts';
import { fromSafeBps, paise } from '../../src/money/index.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import type { ManualClock } from '../../src/platform/clock/manual-clock.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createIdempotency } from '../../src/platform/idempotency/index.ts';
import { bearerCaller, type OpenCaller } from './caller.ts';
import { idGuard } from './id-guard.ts';
import { lapseLeases } from './lapse-leases.ts';
import { openTestSystem, type JournalEntry, type TestSystem } from './open-test-system.ts';

/** Quotes, buy orders and allocation behind their routes, with real adapters and the sandbox. */
export interface OpenGold {
  readonly url: string;
  /** Of the operators' routes whose paths customers have too. */
  readonly operatorUrl: string;
  readonly databaseUrl: string;
  /** As the owner of the tables. */
  readonly migrateUrl: string;
  readonly database: Database;
  /** The cache, for what another process may have left in it. */
  readonly redis: Redis;
  readonly sandbox: OpenSandbox;
  readonly clock: ManualClock;
  readonly gold: Gold;
  /** Allocates one order, as its job does. */
  allocate(orderId: string): Promise<void>;
  readonly plans: Plans;
  /** For a worker of plans that a test lets die or wait at one of its calls. */
  readonly plansDeps: PlansDeps;
  /** For the sweep that settles the rewards of referrals: INR 50 each. */
  readonly rewards: Parameters<typeof createSettleRewards>[0];
  readonly payments: Payments;
  readonly paymentsDeps: PaymentsDeps;
  readonly logged: () => string;
  /** The counters, in the text form of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly logger: TestSystem['logger'];
  readonly vault: TestSystem['vault'];
  /** A caller: nobody, or whoever has this id. */
  as(userId?: string): OpenCaller;
  /** A customer whom the provider knows. */
  newCustomer(): Promise<{ id: string; phone: string; providerUserId: string; call: OpenCaller }>;
  /** Throws the switch of buying (with every evidence verified) or of selling. */
  readonly setGate: (gate: 'buy' | 'sell', isOpen: boolean) => void;
  /** Replaces the operators' limits by the defaults, but for those given. */
  readonly setLimits: (changes?: Partial<Limits>) => Promise<void>;
  /** Changes the KYC of every customer so far. */
  readonly setKyc: (status: 'APPROVED' | 'PENDING') => Promise<void>;
  /** Moves the business clock and the sandbox's. */
  advance(seconds: number): Promise<void>;
  /** The next calls of the provider's operation go wrong. */
  fault(operation: string, fault: string, more?: object): Promise<void>;
  /** The next calls of the gateway's operation go wrong. */
  gatewayFault(operation: string, fault: string, more?: object): Promise<void>;
  /** The calls that the gateway received, oldest first. */
  gatewayJournal(operation: string): Promise<readonly JournalEntry[]>;
  /** The calls that the provider received, oldest first. */
  journal(operation: string): Promise<readonly JournalEntry[]>;
  /** Ends every lease and every sale's lock: whoever held them was killed. */
  lapseLeases(): Promise<void>;
  close(): Promise<void>;
}

const switchOf = { buy: 'DIGITAL_GOLD_PAYMENT_ENABLED', sell: 'DIGITAL_SELL_ENABLED' } as const;

const retrySeconds = [5, 15, 45, 90, 180];

export interface OpenGoldOptions {
  /** Stands before the real adapter: a process that dies at one of its calls. */
  readonly wrapProvider?: (provider: GoldProvider) => GoldProvider;
  /** Stands before the real adapters: a gateway that gives no answer. */
  readonly wrapGateways?: (real: TestSystem['gateways']) => TestSystem['gateways'];
  /** Stands before what buying asks of payments: a process that dies before it asks a gateway. */
  readonly wrapPayments?: (real: PaymentsDeps) => PaymentsDeps;
  /** Stands before our own price: one that is worked out wrong. */
  readonly wrapPrice?: (live: LivePriceReader) => LivePriceReader;
  /** The real time that prices age on, where a test moves it. */
  readonly wall?: Clock;
  /** Environment over the usual one, such as the gateways that there are. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Opens it. Webhooks of the sandbox find their way. */
export const openGold = async ({
  wrapProvider,
  wrapGateways = (real) => real,
  wrapPayments = (real) => real,
  wrapPrice = (real) => real,
  wall,
  env = {},
}: OpenGoldOptions = {}): Promise<OpenGold> => {
  const system = await openTestSystem({ env, ...(wall !== undefined && { wall }) });
  const { database, db, clock, random, redis, sandbox, provider } = system;
  const now = clock.now();
  const setGate = (gate: 'buy' | 'sell', isOpen: boolean): void =>
    writeFileSync(join(system.settingsDir, switchOf[gate]), String(isOpen));
  setGate('buy', true);
  setGate('sell', true);
  const evidence = { value: 'x', reference: 'y', updatedAt: now, updatedBy: null, verified: true };
  for (const item of evidenceItems) await upsertEvidence(db, item, evidence);
  await db.legalField.create({
    data: { section: 'entity', key: 'registration', value: 'x', verified: true, updatedAt: now },
  });
  const terms = { slug: 'terms', version: '2026-01', title: 'Terms', body: 'Terms' };
  await db.policyVersion.create({
    data: { ...terms, id: random.uuid(), verified: true, effectiveFrom: now, createdAt: now },
  });
  const price = createPrice(system);
  const notify = createNotify(system);
  const portfolios = createPortfolioCache({ redis, random });
  const paymentsDeps: PaymentsDeps = {
    ...system,
    gateways: wrapGateways(system.gateways),
    liveOnly: false,
    metrics: createPaymentMetrics(system.metrics),
    notify,
    portfolios,
    findCustomer,
  };
  const payments = createPayments(paymentsDeps);
  const shared = {
    ...system,
    limits: createSettings(system).limits,
    idempotency: createIdempotency(system),
    gates: createGates({ ...system, blockingChecks: [] }),
    payments: wrapPayments(paymentsDeps),
    notify,
  };
  const goldDeps = {
    ...shared,
    portfolios,
    provider: wrapProvider?.(provider) ?? provider,
    price: wrapPrice(price.live),
    onAllocated: createRecordFirstBuy(system),
    allocationRetrySeconds: retrySeconds,
    payoutHolds: noHolds,
    maximumPayoutPaise: paise(50_000_000n),
    priceToleranceBps: fromSafeBps(100),
  };
  const gold = createGold(goldDeps);
  const plans = createPlans(shared);
  const url = await system.serve({
    prefix: '/v1',
    routes: [
      ...gold.customerRoutes,
      ...plans.customerRoutes,
      ...payments.customerRoutes,
      ...createHoldingRoutes({ db, portfolios, price: price.live }),
      ...createReferralRoutes(system),
      ...gold.adminRoutes,
      ...createOrderTimelineRoutes(system),
      ...createIncidentRoutes({ ...system, payments: paymentsDeps }),
      ...createPlanAdminRoutes({ db, payments: paymentsDeps }),
    ],
    guard: idGuard,
  });
  const operatorUrl = await system.serve({
    prefix: '/v1',
    routes: createRewardAdminRoutes({ ...system, readSnapshot: database.readSnapshot }),
    guard: idGuard,
  });
  sandbox.sandbox.setCustomerBaseUrl(url.slice(0, -'/v1'.length));
  let customers = 0;

  const as = (userId?: string): OpenCaller => bearerCaller(url, userId);
  return {
    url,
    operatorUrl,
    databaseUrl: system.addresses.databaseUrl,
    migrateUrl: system.addresses.migrateUrl,
    database,
    redis,
    sandbox,
    clock,
    gold,
    allocate: (orderId) => allocateOrder(goldDeps, orderId),
    plans,
    plansDeps: shared,
    rewards: { ...system, notify, rewardPaise: paise(5000n) },
    payments,
    paymentsDeps,
    logged: () => system.logged(),
    metrics: () => system.metrics.registry.metrics(),
    logger: system.logger,
    vault: system.vault,
    as,
    async newCustomer() {
      customers += 1;
      const number = customers;
      const phone = `+9198${String(number).padStart(8, '0')}`;
      const registered = await provider.register({ phone, name: 'Asha Rao', pincode: '560001' });
      if (registered.kind !== 'done') throw new Error('the provider does not register');
      const { providerUserId } = registered.value;
      const id = random.uuid();
      const at = clock.now();
      const referralCode = `REF${String(number).padStart(5, '0')}`;
      await db.user.create({
        data: {
          id,
          phone,
          phoneHash: `hash-${id}`,
          referralCode,
          providerUserId,
          createdAt: at,
          updatedAt: at,
        },
      });
      await createHolding(db, id, at);
      const stamps = { submittedAt: at, reviewedAt: at, createdAt: at, updatedAt: at };
      await db.kycRecord.create({
        data: { id: random.uuid(), userId: id, status: 'APPROVED', ...stamps },
      });
      return { id, phone, providerUserId, call: as(id) };
    },
    setGate,
    async setLimits(changes = {}) {
      const limits = { ...defaultLimits, ...changes, updatedAt: clock.now() };
      const where = { id: 1 };
      await db.limitsSetting.upsert({ where, create: { ...where, ...limits }, update: limits });
    },
    async setKyc(status) {
      await db.kycRecord.updateMany({ data: { status } });
    },
    advance: (seconds) => system.advance(seconds),
    fault: (operation, fault, more) => system.fault('safegold', operation, fault, more),
    gatewayFault: (operation, fault, more) =>
      system.fault('sandbox-gateway', operation, fault, more),
    gatewayJournal: (operation) => system.journal('sandbox-gateway', operation),
    journal: (operation) => system.journal('safegold', operation),
    lapseLeases: () => lapseLeases(db, redis),
    close: () => system.close(),
  };
};
