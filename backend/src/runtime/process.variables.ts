import { z } from 'zod';
import { defineVariables } from '../platform/config/config.ts';
import { databasePartVariables } from '../platform/config/database-address.ts';
import {
  addresses,
  appMode,
  directAddress,
  flag,
  httpUrl,
  integer,
  list,
  plainStores,
  secret,
  secretList,
  text,
  optionalInteger,
} from '../platform/config/kinds.ts';
import { logLevels } from '../platform/observability/index.ts';

/** Variables of every process of the service. */
export const processVariables = defineVariables({
  APP_MODE: { schema: appMode(), doc: 'development, test or production' },
  BUILD_VERSION: {
    schema: text().default('unknown'),
    doc: 'the version of `build_info`; the image has it',
  },
  BUILD_REVISION: {
    schema: text().default('unknown'),
    doc: 'the commit of `build_info`; the image has it',
  },
  LOG_LEVEL: { schema: z.enum(logLevels).default('info'), doc: 'least severe level logged' },
  HOST: { schema: text().default('0.0.0.0'), doc: 'address to listen on' },
  INTERNAL_PORT: {
    schema: integer(9090, 0, 65_535),
    doc: 'port of the probes and metrics, never exposed',
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/u, message: 'must be a postgresql:// address' }),
    doc: "the database, as the application's role",
    secret: true,
    store: 'database',
  },
  ...databasePartVariables,
  DATABASE_POOL_SIZE: { schema: integer(10, 1, 200), doc: 'most connections of this process' },
  REDIS_URL: {
    schema: z.url({
      protocol: /^rediss?(?:\+cluster)?$/u,
      message: 'must be a redis:// or redis+cluster:// address',
    }),
    doc:
      'the cache; with REDIS_SENTINELS, the name of its master in the place of the host; a cluster ' +
      'is `redis+cluster://host:port,host:port`',
    secret: true,
    store: 'cache',
  },
  REDIS_SENTINELS: {
    schema: addresses(26_379),
    doc: 'host:port of each Sentinel that knows the master of REDIS_URL, comma-separated',
  },
  REDIS_SENTINEL_PASSWORD: {
    schema: text().optional(),
    doc: 'password of the Sentinels, where they ask for one',
    secret: true,
  },
  REDIS_TIMEOUT_MS: {
    schema: integer(200, 10, 60_000),
    doc: 'how long an answer of the cache is waited for, before the work goes on without it',
  },
  ALLOW_PLAIN_STORES: plainStores,
  PII_KEYRING: {
    schema: secret(40).optional(),
    doc: 'id:base64 keys of 32 bytes, the first is current; needed unless a KEY_SERVICE seals',
    secret: true,
  },
  BLIND_INDEX_KEY: {
    schema: secretList(32),
    doc: 'keys of the blind indexes, comma-separated, newest first',
    secret: true,
  },
  CREDENTIAL_PEPPER: {
    schema: secretList(32),
    doc: 'peppers of passwords and codes, comma-separated, newest first',
    secret: true,
  },
  SETTINGS_DIR: {
    schema: text().optional(),
    doc: 'folder of the switches, one file each; without it the environment is read',
  },
  CLOCK_CONTROL: {
    schema: flag(false),
    doc: "follow the sandbox's clock; refused in production",
  },
  CLOCK_URL: { schema: httpUrl().optional(), doc: 'whose clock is followed' },
  SHUTDOWN_DRAIN_MS: {
    schema: integer(0, 0, 60_000),
    doc: 'how long to serve on at least after readiness is off, so that the endpoint leaves first',
  },
  SHUTDOWN_GRACE_MS: {
    schema: integer(20_000, 1000, 120_000),
    doc: 'how long requests and jobs under way may take at shutdown',
  },
});

/** Variables of a process that signs or verifies the tokens of customers and operators. */
export const tokenVariables = defineVariables({
  JWT_SECRET: {
    schema: secretList(32),
    doc: 'secrets of the tokens of the customer and admin APIs, comma-separated; the first signs',
    secret: true,
  },
});

/** Variables of a process at which operators or portal users sign in. */
export const staffVariables = defineVariables({
  SECOND_FACTOR_REQUIRED: {
    schema: flag(false),
    doc: 'operators and portal users without an authenticator app can do nothing but set it up',
  },
});

/** Variables of a process in which a second person decides. */
export const approvalVariables = defineVariables({
  SECOND_OPERATOR_ACTIONS: {
    schema: list(''),
    doc: 'approved by another person: spreads, limits, evidence, payouts, resolutions, statutory_parameters',
  },
  APPROVAL_HOURS: {
    schema: integer(72, 1, 720),
    doc: 'how long a request for approval waits, in hours',
  },
});

/**
 * Variables of a process whose requests may wait for rows. The worker has none, since its jobs are
 * retried.
 */
export const contentionVariables = defineVariables({
  DATABASE_LOCK_WAIT_MS: {
    schema: integer(3000, 10, 25_000),
    doc: 'how long a statement waits for a row that is locked elsewhere',
  },
  CUSTOMER_TURNS: {
    schema: integer(4, 1, 100),
    doc: "one customer's transactions at a time; the next one waits as long as for a row",
  },
});

/** Variables of a process that reads data that may be some seconds old. */
export const standbyVariables = defineVariables({
  DATABASE_READ_URL: {
    schema: directAddress().optional(),
    doc: 'a standby of the database, which reports, registers, files and price histories are read from',
    secret: true,
    store: 'database',
  },
});

/** Further variables of a process with an API. */
export const apiVariables = defineVariables({
  ...contentionVariables,
  ...standbyVariables,
  PORT: { schema: integer(4000, 0, 65_535), doc: 'port of the API' },
  TRUST_PROXY_HOPS: { schema: integer(1, 0, 10), doc: 'trusted proxies before the API' },
  INTERNAL_HOSTNAMES: {
    schema: list('localhost,127.0.0.1,[::1]'),
    doc: 'host names under which the API port answers /metrics',
  },
  CORS_ALLOWED_ORIGINS: { schema: list(''), doc: 'origins of browsers that may call the API' },
  BODY_BYTES: {
    schema: integer(2_097_152, 65_536, 16_777_216),
    doc: 'cap of a request body, unless its route has another',
  },
  BODY_TIMEOUT_MS: {
    schema: integer(20_000, 100, 300_000),
    doc: 'the time that a request body has to arrive',
  },
  BODY_MEMORY_BYTES: {
    schema: integer(33_554_432, 16_777_216, 4_294_967_296),
    doc: 'bytes of all request bodies that are being read; one address has at most half of them',
  },
  BODY_MAX_DEPTH: {
    schema: integer(32, 8, 1000),
    doc: 'how deep the JSON of a request may nest',
  },
  BODY_MAX_VALUES: {
    schema: integer(10_000, 100, 1_000_000),
    doc: 'most values in the JSON of a request',
  },
});

/** Parses a comma-separated list of at least one number of seconds. */
const retrySeconds = (defaultValue: string) =>
  list(defaultValue)
    .pipe(z.array(z.string().regex(/^\d{1,5}$/u, 'must be whole seconds')).min(1))
    .transform((entries) => entries.map((entry) => parseInt(entry, 10)));

/** Further variables of a process that buys or sells gold. */
export const servicesVariables = defineVariables({
  ALLOW_TEST_PAYMENTS: {
    schema: flag(false),
    doc: 'in production: take payments with test credentials alone; needs test systems of gold and payouts',
  },
  ALLOCATION_RETRY_SECONDS: {
    schema: retrySeconds('5,15,45,90,180'),
    doc: 'waits before an allocation is tried again, in seconds',
  },
  QUOTES_PER_TEN_MINUTES: {
    schema: integer(60, 1, 100_000),
    doc: 'quotes of a customer in ten minutes, those that a purchase or a sale makes included',
  },
  COLLABORATOR_QUESTIONS_PER_MINUTE: {
    schema: integer(10, 1, 100_000),
    doc: "a customer's questions in a minute to a collaborator about one account or payment",
  },
  INVOICE_LINKS_PER_TEN_MINUTES: {
    schema: integer(60, 1, 100_000),
    doc: 'invoices of a customer in ten minutes: links of the gold provider, and those of jewellery',
  },
  PAYOUT_NEW_ACCOUNT_HOURS: {
    schema: optionalInteger(1, 8760),
    doc: 'payouts to a bank account added less long ago wait for an operator, in hours; off unless set',
  },
  PAYOUT_NAME_MATCH_FLOOR: {
    schema: optionalInteger(0, 100),
    doc: 'payouts to a lower name match (0 to 100), or none, wait for an operator; off unless set',
  },
  PAYOUT_DAILY_AUTO_PAISE: {
    schema: optionalInteger(0),
    doc: 'payouts beyond this sum wait for an operator, in paise for a customer and IST day; off unless set',
  },
  PAYOUT_DAILY_AUTO_COUNT: {
    schema: integer(20, 0, 1_000_000),
    doc: 'payouts beyond this number wait for an operator, for a customer and IST day',
  },
  REFERRAL_REWARD_PAISE: {
    schema: integer(0, 0, 10_000_000),
    doc: 'the reward for referring a customer, in paise, a week after their first allocated buy',
  },
  PRICE_TOLERANCE_BPS: {
    schema: integer(100, 0, 10_000),
    doc: "how far our price may be to the house's loss against the provider's, in basis points",
  },
});
