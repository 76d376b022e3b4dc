import { createMsg91 } from '../../src/adapters/sms/msg91/create-msg91.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import {
  createCaller,
  type OpenSandbox,
  type CallResponse,
} from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { createHolding } from '../../src/modules/holdings/index.ts';
import {
  createCodeMetrics,
  createIdentity,
  type IdentityDeps,
  relistEndedSessions,
  type SignInRules,
} from '../../src/modules/identity/index.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { createTokenSigner, type TokenSigner } from '../../src/platform/auth/jwt.ts';
import { createRevocationList } from '../../src/platform/auth/revocation-list.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import type { Database } from '../../src/platform/db/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';
import { openTestSystem } from './open-test-system.ts';

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
  /** The newest code that reached this phone, or empty where none did. */
  codeOf(phone: string): Promise<string>;
  /** Sends a code and signs in with it. */
  signIn(phone: string, device?: object): Promise<CallResponse>;
  /** Waits until no SMS is under way. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface IdentityOptions {
  readonly clock: Clock;
  readonly random?: Random;
  readonly redisUrl?: string;
  readonly onUserCreated?: IdentityDeps['onUserCreated'];
  /** Without a limit unless given: every call of a test may come from one address. */
  readonly sendsPerAddressHour?: number;
  readonly sendsPerNetworkHour?: number;
  readonly smsPerMinute?: number;
  /** None is kept unless given. */
  readonly smsCustomerSharePercent?: number;
  /** No bound by address and no limit to trusted devices unless given. */
  readonly signInRules?: Partial<SignInRules>;
  /** It is short unless given. `settle` waits for the SMS. */
  readonly forgotMpinAnswerMs?: number;
  /** MPINs hashed at a time, as if by so many processes. The default is 2. */
  readonly hashesAtOnce?: number;
}

/** The `code` of an error's envelope, or undefined for a success. */
export const errorCode = ({ body }: CallResponse): unknown =>
  (body['error'] as { code?: unknown } | undefined)?.code; // as every error is

/** Opens it. `redisUrl` stands in for the test file's own Redis. */
export const openIdentity = async (options: IdentityOptions): Promise<OpenIdentity> => {
  const { clock, redisUrl, hashesAtOnce } = options;
  const system = await openTestSystem({
    ...(redisUrl !== undefined && { redisUrl }),
    ...(hashesAtOnce !== undefined && { hashesAtOnce }),
  });
  const { sandbox, logger, metrics, redis, random } = system;
  const sms = createMsg91(
    {
      MSG91_BASE_URL: `${sandbox.url}/msg91`,
      MSG91_AUTH_KEY: sandboxDefaults.msg91AuthKey,
      MSG91_OTP_TEMPLATE_ID: 'template',
      MSG91_TIMEOUT_MS: 10_000,
    },
    { clock, logger },
  );
  const tokens = createTokenSigner({ secret: 'dev-only-jwt-secret', clock });
  const onError = (err: unknown): void => logger.warn({ err }, 'cache');
  const revocations = createRevocationList({ redis, onError });
  relistEndedSessions({ ...system, clock, db: system.database.db, revocations, onError });
  const identity = createIdentity({
    ...system,
    clock,
    random: options.random ?? random,
    tokens,
    sms,
    revocations,
    credentialPepper: 'dev-only-credential-pepper-of-32-chars',
    forgotMpinAnswerMs: options.forgotMpinAnswerMs ?? 20,
    sendLimits: {
      perAddressHour: options.sendsPerAddressHour ?? 10_000,
      perNetworkHour: options.sendsPerNetworkHour ?? 10_000,
      perMinute: options.smsPerMinute ?? 10_000,
      customerSharePercent: options.smsCustomerSharePercent ?? 0,
    },
    codeMetrics: createCodeMetrics(metrics.registry),
    signInRules: {
      refusalsPerAddressHour: 10_000,
      trustedDevicesOnly: false,
      sessionsPerCustomer: 20,
      refusesCommonMpins: false,
      ...options.signInRules,
    },
    onUserCreated: options.onUserCreated ?? createHolding,
    kycStatusOf: async () => 'PENDING',
    notify: createNotify({ clock, random }),
  });
  const base = await system.serve({
    prefix: '/v1',
    routes: identity.customerRoutes,
    guard: identity.customerGuard,
  });

  const as: OpenIdentity['as'] = (token) =>
    createCaller(base, token === undefined ? {} : { authorization: `Bearer ${token}` });
  const codeOf = async (phone: string): Promise<string> => {
    const { body } = await sandbox.control('GET', `/sms?phone=${encodeURIComponent(phone)}`);
    const [newest] = body['messages'] as { otp: string }[]; // the control's own view
    return newest?.otp ?? '';
  };

  return {
    url: base,
    database: system.database,
    sandbox,
    tokens,
    logged: () => system.logged(),
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
      await identity.settle();
      await sms.close();
      await system.close();
    },
  };
};
