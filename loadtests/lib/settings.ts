export const apiNames = ['customer', 'admin', 'accounting'] as const;
export type ApiName = (typeof apiNames)[number];

export const profileNames = ['smoke', 'load', 'spike', 'soak', 'breakpoint'] as const;
export type ProfileName = (typeof profileNames)[number];

/** The proxy hop before the APIs. */
type Hop = 'played' | 'real';

type Cache = 'running' | 'stopped';

/** The account of an operator or portal user. */
export interface Account {
  readonly email: string;
  readonly password: string;
}

/** The settings of a suite. Everything else is in its profile. */
export interface Settings {
  readonly profile: ProfileName;
  /** The APIs whose limits are tested. */
  readonly apis: readonly ApiName[];
  /** The address of each API, without a path and without a slash at the end. */
  readonly baseUrls: Readonly<Record<ApiName, string>>;
  /** The address of the sandbox, which stands in for gateways, providers and SMS. */
  readonly sandboxUrl: string;
  /** The operator, who reads lists and approves customers. */
  readonly operator: Account;
  readonly accountant: Account;
  /** Addresses for names that no DNS knows: host to `ip` or `ip:port`. */
  readonly hosts: Readonly<Record<string, string>>;
  /**
   * `played`: the load test appends a client's address to X-Forwarded-For, as the one trusted
   * proxy does. `real`: a proxy in front does, so that the load test is one client.
   */
  readonly hop: Hop;
  /** Another replica of the customer API. Without it no other replica is tested. */
  readonly otherCustomerUrl: string | undefined;
  /** `stopped`: the cache is down, and each replica counts separately. */
  readonly cache: Cache;
  readonly windowSeconds: number;
  readonly tickMs: number;
  /**
   * The limits of a tick's lateness, for 95 of 100 ticks and for each, in place of the profile's.
   */
  readonly latenessP95Ms: number | undefined;
  readonly latenessMaxMs: number | undefined;
  /** True if the provider's price need not change while a socket listens. */
  readonly priceMayStand: boolean;
  /**
   * The limit of the time from the first socket until 99 of 100 sockets have a tick. Without it,
   * there is no limit.
   */
  readonly spreadP99Ms: number | undefined;
  /** The number of marks that a feed may miss, such as while its leader is replaced. */
  readonly missedMarks: number;
  /** In place of the profile's number of sockets. */
  readonly sockets: number | undefined;
  /** In place of the profile's number of marks. */
  readonly marks: number | undefined;
  /** The first mark of a run that several k6 processes share. */
  readonly firstMarkMs: number | undefined;
  /** Replaces the profile's duration if a journey's rate is constant. */
  readonly seconds: number | undefined;
  /**
   * The part of the run that this k6 process has, such as `1/2:1`. Without it, the process has all
   * of the run.
   */
  readonly segment: string | undefined;
  /**
   * The time limits for 95 of 100 requests, and below for the effect of a webhook, in place of the
   * profile's.
   */
  readonly requestP95Ms: number | undefined;
  readonly patienceSeconds: number | undefined;
  /** Extra time a journey may take beyond its plan before it is aborted. */
  readonly spareSeconds: number;
  /** The folder of the reports. Without it, no report is written. */
  readonly resultsDir: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const textOf = (env: Environment, name: string): string | undefined => {
  const text = (env[name] ?? '').trim();
  return text === '' ? undefined : text;
};

const choiceOf = <T extends string>(env: Environment, name: string, all: readonly T[]): T => {
  const text = textOf(env, name) ?? all[0];
  const found = all.find((word) => word === text);
  if (found === undefined) throw new Error(`${name} must be one of ${all.join(', ')}: ${text}`);
  return found;
};

const positive = <T>(env: Environment, name: string, fallback: T): number | T => {
  const text = textOf(env, name);
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Error(`${name} must be a whole number: ${text}`);
  return Number(text);
};

const readApis = (env: Environment): ApiName[] => {
  const text = textOf(env, 'APIS');
  if (text === undefined) return [...apiNames];
  return text.split(',').map((word) => choiceOf({ APIS: word }, 'APIS', apiNames));
};

const readHosts = (env: Environment): Record<string, string> => {
  const entries = (textOf(env, 'HOSTS') ?? '').split(',').filter((entry) => entry.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [host = '', address = '', ...more] = entry.trim().split('=');
      if (host === '' || address === '' || more.length > 0) {
        throw new Error(`HOSTS must be host=ip or host=ip:port, with commas between: ${entry}`);
      }
      return [host, address];
    }),
  );
};

const otherUrl = (env: Environment, name: string): string | undefined =>
  textOf(env, name) === undefined ? undefined : readUrl(env, name, '');

const readUrl = (env: Environment, name: string, fallback: string): string => {
  const url = textOf(env, name) ?? fallback;
  if (!/^https?:\/\/[^/\s]+\/?$/.test(url)) {
    throw new Error(`${name} must be an address without a path: ${url}`);
  }
  return url.endsWith('/') ? url.slice(0, -1) : url;
};

const readAccount = (env: Environment, who: string): Account => ({
  email: textOf(env, `${who}_EMAIL`) ?? '',
  password: textOf(env, `${who}_PASSWORD`) ?? '',
});

/**
 * Reads the settings of a suite from its environment. README.md lists them. Without addresses the
 * local stack's are used.
 * @throws Error of one line that names the variable.
 */
export const readSettings = (env: Environment): Settings => ({
  profile: choiceOf(env, 'PROFILE', profileNames),
  apis: readApis(env),
  baseUrls: {
    customer: readUrl(env, 'CUSTOMER_URL', 'http://127.0.0.1:4000'),
    admin: readUrl(env, 'ADMIN_URL', 'http://127.0.0.1:4001'),
    accounting: readUrl(env, 'ACCOUNTING_URL', 'http://127.0.0.1:4002'),
  },
  sandboxUrl: readUrl(env, 'SANDBOX_URL', 'http://127.0.0.1:4010'),
  operator: readAccount(env, 'OPERATOR'),
  accountant: readAccount(env, 'ACCOUNTANT'),
  hosts: readHosts(env),
  hop: choiceOf(env, 'HOP', ['played', 'real']),
  otherCustomerUrl: otherUrl(env, 'OTHER_CUSTOMER_URL'),
  cache: choiceOf(env, 'CACHE', ['running', 'stopped']),
  windowSeconds: positive(env, 'WINDOW_SECONDS', 60),
  tickMs: positive(env, 'TICK_MS', 10_000),
  latenessP95Ms: positive(env, 'LATENESS_P95_MS', undefined),
  latenessMaxMs: positive(env, 'LATENESS_MAX_MS', undefined),
  priceMayStand: choiceOf(env, 'PRICE_MAY_STAND', ['false', 'true']) === 'true',
  spreadP99Ms: positive(env, 'SPREAD_P99_MS', undefined),
  missedMarks: positive(env, 'MISSED_MARKS', 0),
  sockets: positive(env, 'SOCKETS', undefined),
  marks: positive(env, 'MARKS', undefined),
  firstMarkMs: positive(env, 'FIRST_MARK_MS', undefined),
  seconds: positive(env, 'SECONDS', undefined),
  segment: textOf(env, 'SEGMENT'),
  requestP95Ms: positive(env, 'REQUEST_P95_MS', undefined),
  patienceSeconds: positive(env, 'PATIENCE_SECONDS', undefined),
  spareSeconds: positive(env, 'SPARE_SECONDS', 60),
  resultsDir: textOf(env, 'RESULTS_DIR'),
});
