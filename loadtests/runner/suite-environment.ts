import { readFileSync } from 'node:fs';
import { readSettings, type ApiName, type Settings } from '../lib/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const variables = {
  customer: 'CUSTOMER_URL',
  admin: 'ADMIN_URL',
  accounting: 'ACCOUNTING_URL',
} as const satisfies Record<ApiName, string>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const textIn = (value: unknown, ...path: readonly string[]): string | undefined => {
  const found = path.reduce(
    (inner: unknown, key) => (isRecord(inner) ? inner[key] : undefined),
    value,
  );
  return typeof found === 'string' ? found : undefined;
};

/** Finds the sandbox, and the people of the house, in the stack's file. */
const journeyVariables: Readonly<Record<string, readonly string[]>> = {
  SANDBOX_URL: ['sandbox'],
  OPERATOR_EMAIL: ['admins', 'ADMIN', 'email'],
  OPERATOR_PASSWORD: ['admins', 'ADMIN', 'password'],
  ACCOUNTANT_EMAIL: ['portalUsers', 'accountant', 'email'],
  ACCOUNTANT_PASSWORD: ['portalUsers', 'accountant', 'password'],
};

/**
 * Returns the addresses that `BASE_URL` names: of all APIs where it has `{api}` in it, else of the
 * customer API, which is then the only one that is tested.
 */
const readBaseUrl = (base: string): Record<string, string> =>
  base.includes('{api}')
    ? Object.fromEntries(
        Object.entries(variables).map(([api, name]) => [name, base.replace('{api}', api)]),
      )
    : { CUSTOMER_URL: base, APIS: 'customer' };

const readEndpoints = (file: string): Record<string, string> => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`there is no ${file}: bring the stack up with "make up", or give CUSTOMER_URL`);
  }
  const endpoints: unknown = JSON.parse(text);
  const places = {
    ...Object.fromEntries(Object.entries(variables).map(([api, name]) => [name, [api]])),
    ...journeyVariables,
  };
  return Object.fromEntries(
    Object.entries(places).flatMap(([name, path]) => {
      const text = textIn(endpoints, ...path);
      return text === undefined ? [] : [[name, text]];
    }),
  );
};

/** A suite's settings, and the environment variables that carry them. */
interface SuiteEnvironment {
  readonly settings: Settings;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * The environment of the suites: as given, with addresses from the endpoints file unless one is
 * given.
 * @throws Error of one line if there are no addresses or a setting is wrong.
 */
export const suiteEnvironment = (
  env: Environment,
  options: { profile: string; endpointsFile: string; resultsDir: string },
): SuiteEnvironment => {
  const { profile, endpointsFile, resultsDir } = options;
  const isGiven = Object.values(variables).some((name) => (env[name] ?? '') !== '');
  const base = env['BASE_URL'] ?? '';
  const addresses = base === '' ? (isGiven ? {} : readEndpoints(endpointsFile)) : readBaseUrl(base);
  const settings = readSettings({ ...env, ...addresses, PROFILE: profile });
  return {
    settings,
    variables: { ...addresses, PROFILE: profile, RESULTS_DIR: resultsDir },
  };
};
