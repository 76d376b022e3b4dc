import {
  createCaller,
  type OpenSandbox,
  type CallResponse,
} from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { createCustomerApi, customerApiVariables } from '../../src/apps/customer/customer-api.ts';
import { createTokenSigner, type TokenSigner } from '../../src/platform/auth/jwt.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Database } from '../../src/platform/db/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { openTestSystem } from './open-test-system.ts';

type Call = ReturnType<typeof createCaller>;

/** The customer API as its process builds it, for tests of signing in. */
export interface OpenIdentity {
  /** Address with the API's prefix. */
  readonly url: string;
  readonly database: Database;
  /** As the owner of the tables. */
  readonly migrateUrl: string;
  readonly sandbox: OpenSandbox;
  readonly tokens: TokenSigner;
  /** Everything logged so far. */
  readonly logged: () => string;
  /** The metrics, in the text form of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** A caller, with or without a token. */
  as(accessToken?: string): Call;
  /** The newest code that reached this phone, or empty if none did. */
  codeOf(phone: string): Promise<string>;
  /** Sends a code, by sign-in unless another path is given, and reads it from the phone. */
  sentCode(phone: string, path?: string): Promise<string>;
  /** Sends a code and signs in with it. */
  signIn(phone: string, device?: object): Promise<CallResponse>;
  /** Waits until no SMS is in progress. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface IdentityOptions {
  readonly clock: Clock;
  readonly random?: Random;
  readonly redisUrl?: string;
  /** Environment over the usual one, which bounds no address and keeps no share of the codes. */
  readonly env?: Readonly<Record<string, string>>;
  /** MPINs hashed at a time, as if by so many processes. The default is 2. */
  readonly hashesAtOnce?: number;
}

/** The `code` of an error's envelope, or undefined for a success. */
export const errorCode = ({ body }: CallResponse): unknown =>
  (body['error'] as { code?: unknown } | undefined)?.code; // as every error is

/** Every call of a test may come from one address, and every code be sent in one minute. */
const usualEnv = {
  OTP_SENDS_PER_NETWORK_HOUR: '10000',
  SMS_PER_MINUTE: '10000',
  SMS_CUSTOMER_SHARE_PERCENT: '0',
};

/** The longest sleep: a forgotten MPIN is answered after a second otherwise. */
const longestSleepMs = 50;

const hasten = (timers: Timers): Timers => ({
  ...timers,
  sleep: (ms, signal) => timers.sleep(Math.min(ms, longestSleepMs), signal),
});

/** Opens it. `redisUrl` replaces the test file's Redis. */
export const openIdentity = async (options: IdentityOptions): Promise<OpenIdentity> => {
  const { clock, redisUrl, hashesAtOnce } = options;
  const system = await openTestSystem({
    env: { ...usualEnv, ...options.env },
    ...(redisUrl !== undefined && { redisUrl }),
    ...(hashesAtOnce !== undefined && { hashesAtOnce }),
  });
  const { env, sandbox, metrics } = system;
  const tokens = createTokenSigner({ secret: env.JWT_SECRET, clock });
  const runtime = {
    ...system,
    clock,
    tokens,
    random: options.random ?? system.random,
    timers: hasten(system.timers),
  };
  const api = createCustomerApi(loadConfig(customerApiVariables, env), env, runtime);
  const { identity } = api;
  const { prefix, routes, guard } = api.definition;
  const base = await system.serve({ prefix, routes, guard });

  const as: OpenIdentity['as'] = (token) =>
    createCaller(base, token === undefined ? {} : { authorization: `Bearer ${token}` });
  const codeOf = (phone: string): Promise<string> => sandbox.codeFor(phone);

  const sentCode: OpenIdentity['sentCode'] = async (phone, path = '/auth/send-otp') => {
    const { status, text } = await as()('POST', path, { phone });
    if (status !== 200) throw new Error(`no code was sent: ${text}`);
    // The code of a forgotten MPIN is sent after the answer.
    await identity.settle();
    return codeOf(phone);
  };

  return {
    url: base,
    database: system.database,
    migrateUrl: system.addresses.migrateUrl,
    sandbox,
    tokens,
    logged: () => system.logged(),
    metrics: async () => (await metrics.text()).body,
    as,
    settle: () => identity.settle(),
    codeOf,
    sentCode,
    async signIn(phone, device = {}) {
      await as()('POST', '/auth/send-otp', { phone });
      const otp = await codeOf(phone);
      return as()('POST', '/auth/verify-otp', { phone, otp, ...device });
    },
    async close() {
      await identity.settle();
      await Promise.all([api.sms.close(), api.objects.close(), api.services.close()]);
      await system.close();
    },
  };
};
