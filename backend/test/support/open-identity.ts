import { createServer } from 'node:http';
import type { RequestHandler } from 'express';
import { createMsg91 } from '../../src/adapters/sms/msg91/create-msg91.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import {
  createCaller,
  openSandbox,
  type OpenSandbox,
  type CallResponse,
} from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { createHolding } from '../../src/modules/holdings/index.ts';
import {
  createCodeMetrics,
  createIdentity,
  type IdentityDeps,
} from '../../src/modules/identity/index.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { createTokenSigner, type TokenSigner } from '../../src/platform/auth/jwt.ts';
import { createRevocationList } from '../../src/platform/auth/revocation-list.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';
import {
  createBlindIndex,
  createSecretHasher,
  createVault,
  parseKeyring,
} from '../../src/platform/crypto/index.ts';
import { createDatabase, type Database } from '../../src/platform/db/index.ts';
import { createApi } from '../../src/platform/http/index.ts';
import { createRandom, type Random } from '../../src/platform/ids/random.ts';
import { createLogger, createMetrics } from '../../src/platform/observability/index.ts';
import { closeRedis } from '../../src/platform/redis/index.ts';
import { listen } from './listen.ts';
import { connectRedis } from './connect-redis.ts';
import { freshDatabase } from './fresh-database.ts';
import { hangsForMs } from './open-test-system.ts';

type Call = ReturnType<typeof createCaller>;

/** The customer API's sign-in on stores of its own, with the real SMS adapter. */
export interface OpenIdentity {
  /** Address with the API's prefix. */
  readonly url: string;
  readonly database: Database;
  readonly sandbox: OpenSandbox;
  readonly tokens: TokenSigner;
  /** Everything logged so far. */
  readonly logged: () => string;
  /** The metrics, in the text form of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** A caller, without a token or with one. */
  as(accessToken?: string): Call;
  /** The newest code that reached this phone; empty where none did. */
  codeOf(phone: string): Promise<string>;
  /** Sends a code and signs in with it. */
  signIn(phone: string, device?: object): Promise<CallResponse>;
  /** Waits until no SMS is under way. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

interface IdentityOptions {
  readonly clock: Clock;
  readonly random?: Random;
  readonly redisUrl?: string;
  readonly onUserCreated?: IdentityDeps['onUserCreated'];
  /** Without a limit unless given: every call of a test may come from one address. */
  readonly sendsPerAddressHour?: number;
  readonly smsPerMinute?: number;
  /** Short unless given; `settle` waits for the SMS. */
  readonly forgotMpinAnswerMs?: number;
  /** MPINs hashed at a time, as if by so many processes; 2 unless given. */
  readonly hashesAtOnce?: number;
}

const next: RequestHandler = (_req, _res, go) => go();
const pepper = 'dev-only-credential-pepper';
const keyring = `k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`;

/** The `code` of an error's envelope; undefined for a success. */
export const errorCode = ({ body }: CallResponse): unknown =>
  (body['error'] as { code?: unknown } | undefined)?.code; // as every error is

/** Opens it; `redisUrl` stands in for the test file's own Redis. */
export const openIdentity = async (options: IdentityOptions): Promise<OpenIdentity> => {
  const { clock, random = createRandom() } = options;
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'debug', name: 'test', destination });
  const [addresses, sandbox] = await Promise.all([
    freshDatabase(),
    openSandbox({ hangMs: hangsForMs }),
  ]);
  const database = createDatabase({
    url: addresses.databaseUrl,
    poolSize: 10,
    // Fifty requests at once share ten connections, on a machine that may be busy.
    connectionWaitMs: 60_000,
    applicationName: 'identity-test',
  });
  const redis = await connectRedis(options.redisUrl ?? addresses.redisUrl);
  const sms = createMsg91(
    {
      MSG91_BASE_URL: `${sandbox.url}/msg91`,
      MSG91_AUTH_KEY: sandboxDefaults.msg91AuthKey,
      MSG91_OTP_TEMPLATE_ID: 'template',
      MSG91_TIMEOUT_MS: 10_000,
    },
    { clock, logger },
  );
  const { db, inTransaction } = database;
  const metrics = createMetrics({ service: 'test', collectsDefaults: false });
  const tokens = createTokenSigner({ secret: 'dev-only-jwt-secret', clock });
  const identity = createIdentity({
    db,
    inTransaction,
    clock,
    random,
    logger,
    tokens,
    sms,
    revocations: createRevocationList({ redis, onError: (err) => logger.warn({ err }, 'cache') }),
    vault: createVault({ keyring: parseKeyring(keyring) }),
    blindIndex: createBlindIndex('dev-only-blind-index-key-of-32-chars'),
    credentialPepper: pepper,
    hasher: createSecretHasher({
      pepper,
      registry: metrics.registry,
      maxParallel: options.hashesAtOnce ?? 2,
    }),
    timers: createTimers(),
    forgotMpinAnswerMs: options.forgotMpinAnswerMs ?? 20,
    sendLimits: {
      perAddressHour: options.sendsPerAddressHour ?? 10_000,
      perMinute: options.smsPerMinute ?? 10_000,
    },
    codeMetrics: createCodeMetrics(metrics.registry),
    onUserCreated: options.onUserCreated ?? createHolding,
    kycStatusOf: async () => 'PENDING',
    notify: createNotify({ clock, random }),
  });
  const app = createApi({
    info: { title: 'Customer', version: '1', description: '', prefix: '/v1' },
    routes: identity.customerRoutes,
    guard: identity.customerGuard,
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
  const base = `${await listen(server)}/v1`;

  const as: OpenIdentity['as'] = (token) =>
    createCaller(base, token === undefined ? {} : { authorization: `Bearer ${token}` });
  const codeOf = async (phone: string): Promise<string> => {
    const { body } = await sandbox.control('GET', `/sms?phone=${encodeURIComponent(phone)}`);
    const [newest] = body['messages'] as { otp: string }[]; // the control's own view
    return newest?.otp ?? '';
  };

  return {
    url: base,
    database,
    sandbox,
    tokens,
    logged: () => lines.join(''),
    metrics: async () => (await metrics.text()).body,
    as,
    settle: () => identity.settle(),
    codeOf,
    async signIn(phone, device = {}) {
      await as()('POST', '/auth/send-otp', { phone });
      const otp = await codeOf(phone);
      return as()('POST', '/auth/verify-otp', { phone, otp, ...device });
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await identity.settle();
      await Promise.all([sms.close(), closeRedis(redis), sandbox.stop(), database.close()]);
      await addresses.drop();
    },
  };
};
