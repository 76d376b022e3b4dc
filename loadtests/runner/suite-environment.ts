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

const readEndpoints = (file: string): Record<string, string> => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`there is no ${file}: bring the stack up with "make up", or give CUSTOMER_URL`);
  }
  const endpoints: unknown = JSON.parse(text);
  return Object.fromEntries(
    Object.entries(variables).flatMap(([api, variable]) => {
      const url = isRecord(endpoints) ? endpoints[api] : undefined;
      return typeof url === 'string' ? [[variable, url]] : [];
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
  const addresses = isGiven ? {} : readEndpoints(endpointsFile);
  const settings = readSettings({ ...env, ...addresses, PROFILE: profile });
  return {
    settings,
    variables: { ...addresses, PROFILE: profile, RESULTS_DIR: resultsDir },
  };
};
