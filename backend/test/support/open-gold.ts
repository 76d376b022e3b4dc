import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import type { AdapterDeps } from '../../src/adapters/adapter-deps.ts';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { createSafegold } from '../../src/adapters/gold-provider/safegold/create-safegold.ts';
import { createSandboxGateway } from '../../src/adapters/payment-gateway/sandbox/create-sandbox-gateway.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { openSandbox, type OpenSandbox } from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { gstRateBpsOn } from '../../src/modules/accounting/index.ts';
import { createGold, type Gold } from '../../src/runtime/create-gold.ts';
import { createHolding, createHoldings } from '../../src/modules/holdings/index.ts';
import { findUser } from '../../src/modules/identity/index.ts';
import { createAuditor } from '../../src/modules/audit/index.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { createOrders } from '../../src/modules/orders/index.ts';
import { createPayments, type Payments } from '../../src/modules/payments/index.ts';
import { createPrice } from '../../src/modules/price/index.ts';
import type { Gates } from '../../src/modules/readiness/index.ts';
import { defaultLimits, type Limits } from '../../src/modules/settings/index.ts';
import { fromSafeBps } from '../../src/money/index.ts';
import { createSystemClock, type Clock } from '../../src/platform/clock/clock.ts';
import { createManualClock, type ManualClock } from '../../src/platform/clock/manual-clock.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { createVault, parseKeyring } from '../../src/platform/crypto/index.ts';
import { createDatabase, type Database } from '../../src/platform/db/index.ts';
import { AppError } from '../../src/platform/errors/app-error.ts';
import { createApi, type Guard } from '../../src/platform/http/index.ts';
import { createIdempotency } from '../../src/platform/idempotency/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createLogger } from '../../src/platform/observability/index.ts';
import { closeRedis, createRedis, untilReady } from '../../src/platform/redis/index.ts';
import { freshDatabase } from './fresh-database.ts';

/** The response to a call. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; tests look into it by path. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export type Caller = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Conditions that a test may change while it runs. */
interface GoldKnobs {
  kyc: 'APPROVED' | 'PENDING';
  isGateOpen: boolean;
  isSellGateOpen: boolean;
  limits: Limits;
}

const gatesOf = (knobs: GoldKnobs): Pick<Gates, 'requireBuyOpen' | 'requireSellOpen'> => ({
  async requireBuyOpen() {
    if (!knobs.isGateOpen) throw new AppError('PAYMENTS_DISABLED');
  },
  async requireSellOpen() {
    if (!knobs.isSellGateOpen) throw new AppError('SELL_DISABLED');
  },
});

/** Quotes, buy orders and allocation behind their routes, with real adapters and the sandbox. */
export interface OpenGold {
  readonly url: string;
  readonly databaseUrl: string;
  readonly database: Database;
  /** The cache, for what another process may have left in it. */
  readonly redis: Redis;
  readonly sandbox: OpenSandbox;
  readonly clock: ManualClock;
  readonly gold: Gold;
  readonly payments: Payments;
  readonly knobs: GoldKnobs;
  readonly logged: () => string;
  /** A caller: nobody, or whoever has this id. */
  as(userId?: string): Caller;
  /** A customer whom the provider knows. */
  newCustomer(): Promise<{ id: string; providerUserId: string; call: Caller }>;
  /** Moves the business clock and the sandbox's. */
  advance(seconds: number): Promise<void>;
  /** The next calls of the provider's operation go wrong. */
  fault(operation: string, fault: string, more?: object): Promise<void>;
  /** The calls that the provider received, oldest first. */
  journal(operation: string): Promise<{ body: Record<string, unknown>; status: number }[]>;
  close(): Promise<void>;
}

const next: RequestHandler = (_req, _res, go) => go();
const keyring = `k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`;
const retrySeconds = [5, 15, 45, 90, 180];

/** Takes the token for the caller's id: signing in is another module's. */
const guard: Guard = {
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'id' },
  schemeName: 'bearer',
  async admit(req) {
    const userId = /^Bearer (.+)$/u.exec(req.get('authorization') ?? '')?.[1];
    if (userId === undefined) throw new AppError('UNAUTHENTICATED');
    return { userId, adminId: userId, email: 'operator@example.test', role: 'SUPER_ADMIN' };
  },
};

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return `http://127.0.0.1:${address.port}`;
};

const callerOf =
  (url: string, userId: string | undefined): Caller =>
  async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(userId !== undefined && { authorization: `Bearer ${userId}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };

const createAdapters = (url: string, base: AdapterDeps) => ({
  provider: createSafegold(
    {
      SAFEGOLD_BASE_URL: `${url}/safegold`,
      SAFEGOLD_TOKEN: sandboxDefaults.safegoldToken,
      SAFEGOLD_TIMEOUT_MS: 2000,
      SAFEGOLD_SPOT_FIELD: 'spot_price',
      SAFEGOLD_BODY_ENCRYPTION: 'off',
    },
    base,
  ),
  gateway: createSandboxGateway(
    {
      SANDBOX_GATEWAY_BASE_URL: `${url}/gateway`,
      SANDBOX_GATEWAY_KEY_ID: sandboxDefaults.gatewayKeyId,
      SANDBOX_GATEWAY_KEY_SECRET: sandboxDefaults.gatewayKeySecret,
      SANDBOX_GATEWAY_WEBHOOK_SECRETS: [...sandboxDefaults.gatewayWebhookSecrets],
      SANDBOX_GATEWAY_TIMEOUT_MS: 2000,
    },
    base,
  ),
});

interface OpenGoldOptions {
  /** Stands before the real adapter: a process that dies at one of its calls. */
  readonly wrapProvider?: (provider: GoldProvider) => GoldProvider;
  /** The real time that prices age on, where a test moves it. */
  readonly wall?: Clock;
}

/** Opens it; webhooks of the sandbox find their way. */
export const openGold = async ({
  wrapProvider,
  wall = createSystemClock(),
}: OpenGoldOptions = {}): Promise<OpenGold> => {
  const [addresses, sandbox] = await Promise.all([freshDatabase(), openSandbox()]);
  const { databaseUrl: url } = addresses;
  const database = createDatabase({ url, poolSize: 10, applicationName: 'gold-test' });
  const { db, inTransaction } = database;
  const redis = createRedis(addresses.redisUrl, 'fail-fast');
  await untilReady(redis, 5000);
  const clock = createManualClock(new Date());
  const random = createRandom();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'debug', name: 'test', destination });
  const { provider, gateway } = createAdapters(sandbox.url, { clock, logger });
  const knobs: GoldKnobs = {
    kyc: 'APPROVED',
    isGateOpen: true,
    isSellGateOpen: true,
    limits: defaultLimits,
  };
  const price = createPrice({ db, redis, provider, wall });
  const base = { db, inTransaction, clock, random, logger };
  const vault = createVault({ keyring: parseKeyring(keyring) });
  const notify = createNotify({ clock, random });
  const orders = createOrders({ ...base, notify });
  const payments = createPayments({
    ...base,
    vault,
    gateways: new Map([[gateway.code, gateway]]),
    orders,
    findCustomer: async (_db, id) => ({ id, phone: '+919812345678' }),
  });
  const gold = createGold({
    ...base,
    orders,
    redis,
    provider: wrapProvider?.(provider) ?? provider,
    price: price.live,
    limits: { current: async () => knobs.limits },
    requireApprovedKyc: async () => {
      if (knobs.kyc !== 'APPROVED') throw new AppError('KYC_REQUIRED');
    },
    findUser,
    gstRateBpsOn,
    payments,
    idempotency: createIdempotency({ db, random, timers: createTimers() }),
    gates: gatesOf(knobs),
    termsVersionOn: async () => '2026-01',
    notify,
    audit: createAuditor({ clock, random, vault }),
    timers: createTimers(),
    allocationRetrySeconds: retrySeconds,
    priceToleranceBps: fromSafeBps(100),
  });
  const holdings = createHoldings({ db, redis, random, price: price.live });
  const app = createApi({
    info: { title: 'Gold', version: '1', description: '', prefix: '/v1' },
    routes: [
      ...gold.customerRoutes,
      ...payments.customerRoutes,
      ...holdings.customerRoutes,
      ...gold.adminRoutes,
    ],
    guard,
    rateLimit: next,
    requestLog: next,
    metrics: next,
    logger,
    random,
    trustProxyHops: 1,
    corsAllowedOrigins: [],
    internalHostnames: [],
    checkReplies: true,
    docs: true,
  });
  const server = createServer(app);
  const origin = await listen(server);
  sandbox.sandbox.setCustomerBaseUrl(origin);
  const apiUrl = `${origin}/v1`;
  let customers = 0;

  const as = (userId?: string): Caller => callerOf(apiUrl, userId);
  return {
    url: apiUrl,
    databaseUrl: url,
    database,
    redis,
    sandbox,
    clock,
    gold,
    payments,
    knobs,
    logged: () => lines.join(''),
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
      return { id, providerUserId, call: as(id) };
    },
    async advance(seconds) {
      clock.advance(seconds * 1000);
      await sandbox.control('POST', '/clock', { advanceSeconds: seconds });
    },
    async fault(operation, fault, more = {}) {
      const body = { collaborator: 'safegold', operation, fault, times: 1, ...more };
      const told = await sandbox.control('POST', '/faults', body);
      if (told.status >= 300) throw new Error(told.text);
    },
    async journal(operation) {
      const query = new URLSearchParams({ collaborator: 'safegold', operation }).toString();
      const told = await sandbox.control('GET', `/journal?${query}`);
      // The journal's form is the sandbox's own, checked by its own tests.
      return told.body['entries'] as { body: Record<string, unknown>; status: number }[];
    },
    async close() {
      await sandbox.stop();
      server.close();
      server.closeAllConnections();
      await Promise.all([gateway.close(), provider.close(), closeRedis(redis), database.close()]);
      await addresses.drop();
    },
  };
};
