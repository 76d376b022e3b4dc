import type { Redis } from 'ioredis';
import type { OpenSandbox } from '../../src/apps/sandbox/testing/open-sandbox.ts';
import type { Services, ServiceWraps } from '../../src/runtime/create-services.ts';
import { insertHolding, createHoldingCustomerRoutes } from '../../src/modules/holdings/index.ts';
import { createIncidentAdminRoutes } from '../../src/modules/incidents/index.ts';
import { createOrderTimelineAdminRoutes } from '../../src/modules/order-timeline/index.ts';
import { ALLOCATE_TASK } from '../../src/modules/orders/index.ts';
import { createPlanAdminRoutes } from '../../src/modules/plans/index.ts';
import {
  createReferralCustomerRoutes,
  createRewardAdminRoutes,
} from '../../src/modules/referrals/index.ts';
import { defaultLimits, type Limits } from '../../src/modules/settings/index.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import type { ManualClock } from '../../src/platform/clock/manual-clock.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { bearerCaller, type UntypedCaller } from './caller.ts';
import { idGuard } from './id-guard.ts';
import { lapseLeases } from './lapse-leases.ts';
import { openGates, openServices, setGate } from './open-services.ts';
import { runJob } from './run-queued-jobs.ts';
import { openTestSystem, type JournalEntry, type TestSystem } from './open-test-system.ts';

type WiredServices = Pick<
  Services,
  'gold' | 'plans' | 'plansDeps' | 'payments' | 'paymentsDeps' | 'settleRewards'
>;

/** The services that deal in gold, wired as every process wires them, behind their routes. */
export interface OpenGold extends WiredServices {
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
  /** Allocates one order, as its job does. */
  allocate(orderId: string): Promise<void>;
  readonly logged: () => string;
  /** The counters, in the text form of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly logger: TestSystem['logger'];
  readonly vault: TestSystem['vault'];
  /** A caller: nobody, or whoever has this id. */
  as(userId?: string): UntypedCaller;
  /** A customer whom the provider knows. */
  newCustomer(): Promise<{
    id: string;
    phone: string;
    providerUserId: string;
    call: UntypedCaller;
  }>;
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

export interface OpenGoldOptions {
  /** Stands before collaborators or between services: a process that dies at one of its calls. */
  readonly wrap?: Partial<ServiceWraps>;
  /** The real time by which prices age, if a test moves it. */
  readonly wall?: Clock;
  /** Environment over the usual one, such as the gateways that there are. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Opens it. Webhooks of the sandbox find their way. A reward for a referral is INR 50. */
export const openGold = async ({
  wrap = {},
  wall,
  env = {},
}: OpenGoldOptions = {}): Promise<OpenGold> => {
  const system = await openTestSystem({
    env: { REFERRAL_REWARD_PAISE: '5000', ...env },
    ...(wall !== undefined && { wall }),
  });
  const { database, db, clock, random, redis, sandbox } = system;
  await openGates(system);
  const services = openServices(system, wrap);
  const { gold, plans, plansDeps, payments, paymentsDeps, portfolios, price } = services;
  const url = await system.serve({
    prefix: '/v1',
    routes: [
      ...gold.customerRoutes,
      ...plans.customerRoutes,
      ...payments.customerRoutes,
      ...createHoldingCustomerRoutes({ db, portfolios, price: price.live }),
      ...createReferralCustomerRoutes(system),
      ...gold.adminRoutes,
      ...createOrderTimelineAdminRoutes(system),
      ...createIncidentAdminRoutes({ ...system, payments: paymentsDeps }),
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

  const as = (userId?: string): UntypedCaller => bearerCaller(url, userId);
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
    allocate: (orderId) => runJob(system, gold.jobs, ALLOCATE_TASK, { orderId }),
    plans,
    plansDeps,
    payments,
    paymentsDeps,
    settleRewards: services.settleRewards,
    logged: () => system.logged(),
    metrics: () => system.metrics.registry.metrics(),
    logger: system.logger,
    vault: system.vault,
    as,
    async newCustomer() {
      customers += 1;
      const number = customers;
      const phone = `+9198${String(number).padStart(8, '0')}`;
      const registered = await services.provider.register({
        phone,
        name: 'Asha Rao',
        pincode: '560001',
      });
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
      await insertHolding(db, id, at);
      const stamps = { submittedAt: at, reviewedAt: at, createdAt: at, updatedAt: at };
      await db.kycRecord.create({
        data: { id: random.uuid(), userId: id, status: 'APPROVED', ...stamps },
      });
      return { id, phone, providerUserId, call: as(id) };
    },
    setGate: (gate, isOpen) => setGate(system, gate, isOpen),
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
