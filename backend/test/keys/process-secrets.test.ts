import { expect, it } from 'vitest';
import { createAdminApi, adminApiVariables } from '../../src/apps/admin/admin-api.ts';
import { accountingVariables } from '../../src/apps/accounting/accounting-api.ts';
import { createCustomerApi, customerApiVariables } from '../../src/apps/customer/customer-api.ts';
import { workerProcessVariables } from '../../src/apps/worker/worker.variables.ts';
import type { Environment } from '../../src/platform/config/config.ts';
import { createOfflineRuntime } from '../../src/runtime/create-runtime.ts';
import { createServices } from '../../src/runtime/create-services.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { environmentOf } from '../../dev/stack/environment.ts';
import { readPorts } from '../../dev/stack/stack-ports.ts';

const addresses = {
  mode: 'development',
  ports: readPorts({}),
  databaseUrl: 'postgresql://nobody@127.0.0.1:1/none',
  migrateUrl: 'postgresql://nobody@127.0.0.1:1/none',
  redisUrl: 'redis://127.0.0.1:1',
  settingsDir: '/nonexistent',
  objectsDir: '/nonexistent',
  sandboxDir: '/nonexistent',
} as const;

const own = ['DATABASE_URL', 'REDIS_URL', 'PII_KEYRING', 'BLIND_INDEX_KEY', 'CREDENTIAL_PEPPER'];
const parties = [
  'SAFEGOLD_TOKEN',
  'RAZORPAYX_KEY_SECRET',
  'CASHFREE_CLIENT_SECRET',
  'SANDBOX_GATEWAY_KEY_SECRET',
  'RAZORPAY_KEY_SECRET',
];
const webhooks = [
  'PAYOUT_WEBHOOK_SECRETS',
  'CASHFREE_WEBHOOK_SECRETS',
  'SANDBOX_GATEWAY_WEBHOOK_SECRETS',
  'RAZORPAY_WEBHOOK_SECRETS',
];

/** Everything that each process needs, and nothing else. */
const secretsOf = {
  customer: [
    ...own,
    ...parties,
    ...webhooks,
    'JWT_SECRET',
    'KYC_WEBHOOK_SECRETS',
    'MSG91_AUTH_KEY',
  ],
  admin: [...own, ...parties, 'JWT_SECRET', 'GITHUB_TOKEN'],
  accounting: own,
  worker: [...own, ...parties, 'GITHUB_TOKEN', 'PROOF_SIGNING_KEYS'],
} as const;

const isSecret = (name: string): boolean =>
  /(?:_SECRETS?|_TOKEN|_KEYRING|_PEPPER|_AUTH_KEY|_SIGNING_KEYS)$/u.test(name) ||
  /^(?:BLIND_INDEX_KEY|DATABASE_URL|REDIS_URL)$/u.test(name);

/** Builds a process as far as it reads its environment. No store has to be there. */
const builders: Readonly<Record<keyof typeof secretsOf, (env: Environment) => Promise<void>>> = {
  async customer(env) {
    const config = loadConfig(customerApiVariables, env);
    const runtime = await createOfflineRuntime('customer', config, env);
    const { sms, services } = createCustomerApi(config, env, runtime);
    await Promise.all([sms.close(), services.close(), runtime.close()]);
  },
  async admin(env) {
    const config = loadConfig(adminApiVariables, env);
    const runtime = await createOfflineRuntime('admin', config, env);
    const { ci, objects, services } = createAdminApi(config, env, runtime);
    await Promise.all([ci?.close(), objects.close(), services.close(), runtime.close()]);
  },
  async accounting(env) {
    const config = loadConfig(accountingVariables, env);
    await (await createOfflineRuntime('accounting', config, env)).close();
  },
  async worker(env) {
    const config = loadConfig(workerProcessVariables, env);
    const runtime = await createOfflineRuntime('worker', config, env);
    const services = createServices(config, env, runtime, { receivesWebhooks: false });
    await Promise.all([services.close(), runtime.close()]);
  },
};

const processes = Object.keys(secretsOf) as (keyof typeof secretsOf)[]; // its keys

it.each(processes)('%s starts with the secrets that it uses, and has no others', async (name) => {
  const env = { ...environmentOf(name, addresses), CLOCK_CONTROL: 'false', LOG_LEVEL: 'fatal' };
  const given = Object.keys(env).filter(isSecret);
  expect(new Set(given)).toEqual(new Set(secretsOf[name]));
  await builders[name](env);
});

// Without GitHub's token nothing is listed or deployed, and without a secret no event of the KYC
// provider is taken, and without a key no proof of gold is signed. The processes start all the
// same.
const optional = new Set<string>(['GITHUB_TOKEN', 'KYC_WEBHOOK_SECRETS', 'PROOF_SIGNING_KEYS']);
const demanded = processes.flatMap((name) =>
  secretsOf[name]
    .filter((secret) => !optional.has(secret))
    .map((secret) => [name, secret] as const),
);

it.each(demanded)('%s does not start without %s', async (name, secret) => {
  const { [secret]: _missing, ...rest } = environmentOf(name, addresses);
  const env = { ...rest, CLOCK_CONTROL: 'false', LOG_LEVEL: 'fatal' };
  await expect(builders[name](env)).rejects.toThrow(`${secret}: `);
});
