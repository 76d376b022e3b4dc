import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServices } from '../../src/runtime/create-services.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { servicesVariables } from '../../src/runtime/process.variables.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { createAdmins } from '../../src/modules/admins/index.ts';
import { evidenceItems, upsertEvidence } from '../../src/modules/readiness/index.ts';
import { createReconciliation } from '../../src/modules/reconciliation/index.ts';
import { fromSafeBps } from '../../src/money/index.ts';
import { createFactories, type Factories } from './factories.ts';
import { idGuard } from './id-guard.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { runQueuedJobs } from './run-queued-jobs.ts';

/** Returns the environment of a process on this system's stores and sandbox. */
export const environmentOf = ({ addresses, sandbox: { url } }: TestSystem) => ({
  APP_MODE: 'test',
  DATABASE_URL: addresses.databaseUrl,
  REDIS_URL: addresses.redisUrl,
  PII_KEYRING: `k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`,
  BLIND_INDEX_KEY: 'dev-only-blind-index-key-of-32-chars',
  CREDENTIAL_PEPPER: 'dev-only-credential-pepper-of-32-chars',
  JWT_SECRET: 'dev-only-jwt-secret-of-32-characters',
  SAFEGOLD_BASE_URL: `${url}/safegold`,
  SAFEGOLD_TOKEN: sandboxDefaults.safegoldToken,
  SAFEGOLD_TIMEOUT_MS: '10000',
  SAFEGOLD_SPOT_FIELD: 'spot_price',
  PAYMENT_GATEWAYS: 'sandbox',
  SANDBOX_GATEWAY_BASE_URL: `${url}/gateway`,
  SANDBOX_GATEWAY_KEY_ID: sandboxDefaults.gatewayKeyId,
  SANDBOX_GATEWAY_KEY_SECRET: sandboxDefaults.gatewayKeySecret,
  SANDBOX_GATEWAY_WEBHOOK_SECRETS: sandboxDefaults.gatewayWebhookSecrets.join(','),
  SANDBOX_GATEWAY_TIMEOUT_MS: '10000',
  RAZORPAYX_BASE_URL: `${url}/razorpayx`,
  RAZORPAYX_KEY_ID: sandboxDefaults.razorpayxKeyId,
  RAZORPAYX_KEY_SECRET: sandboxDefaults.razorpayxKeySecret,
  RAZORPAYX_ACCOUNT_NUMBER: sandboxDefaults.razorpayxAccountNumber,
  RAZORPAYX_TIMEOUT_MS: '10000',
  PAYOUT_WEBHOOK_SECRETS: sandboxDefaults.payoutWebhookSecrets.join(','),
});

/** Everything that the gates require. */
const openGates = async (system: TestSystem, factories: Factories): Promise<void> => {
  await factories.admin('SUPER_ADMIN');
  const evidence = { value: 'x', reference: 'x', verified: true, updatedAt: system.clock.now() };
  for (const item of evidenceItems) {
    await upsertEvidence(system.db, item, { ...evidence, updatedBy: null });
  }
  const updatedAt = system.clock.now();
  await system.db.legalField.create({
    data: { section: 'entity', key: 'registration', value: 'x', verified: true, updatedAt },
  });
  for (const name of ['DIGITAL_SELL_ENABLED', 'DIGITAL_GOLD_PAYMENT_ENABLED']) {
    writeFileSync(join(system.settingsDir, name), 'true\n');
  }
};

/** The services of a process that has this system's clients. */
const openServices = (system: TestSystem) => {
  const env = environmentOf(system);
  return createServices(loadConfig(servicesVariables, env), env, system, {
    receivesWebhooks: true,
  });
};

/** Serves it with its reconciliation. Webhooks of the sandbox find their way. */
export const serveServices = async () => {
  const system = await openTestSystem();
  const { sandbox } = system;
  const services = openServices(system);
  const { gold, payments, banking, payouts, gateways, provider, payoutProvider } = services;
  const factories = createFactories({ ...system, provider });
  await openGates(system, factories);
  const priceToleranceBps = fromSafeBps(100);
  const { connections } = system.database;
  const collaborators = { gateways, goldProvider: provider, payoutProvider };
  const deps = { ...system, ...collaborators, connections, priceToleranceBps };
  const url = await system.serve({
    prefix: '/v1',
    guard: idGuard,
    routes: [
      ...gold.customerRoutes,
      ...payments.customerRoutes,
      ...banking.customerRoutes,
      ...payouts.customerRoutes,
      ...payouts.webhookRoutes,
    ],
  });
  const reconciliation = createReconciliation(deps);
  const adminUrl = await system.serve({
    prefix: '/v1',
    guard: createAdmins({ ...system, tokenTtlSeconds: 3600 }).guard,
    routes: [...gold.adminRoutes, ...payouts.adminRoutes, ...reconciliation.adminRoutes],
  });
  sandbox.sandbox.setCustomerBaseUrl(url.slice(0, -'/v1'.length));
  const jobs = {
    ...gold.jobs,
    ...payments.jobs,
    ...banking.jobs,
    ...payouts.jobs,
    ...reconciliation.jobs,
  };

  return {
    system,
    factories,
    services,
    /** The dependencies of the served reconciliation, to create another with other limits. */
    deps,
    reconciliation,
    url,
    adminUrl,
    /** Runs what is queued. */
    drain: async (): Promise<void> => {
      const [thrown] = await runQueuedJobs(system, jobs);
      if (thrown !== undefined) throw thrown;
    },
    /** Turns the sandbox. */
    control: async (method: string, path: string, body?: unknown) => {
      const response = await sandbox.control(method, path, body);
      if (response.status >= 300) throw new Error(`${path}: ${response.text}`);
      return response.body;
    },
    async close(): Promise<void> {
      await services.close();
      await system.close();
    },
  };
};

export type ServedServices = Awaited<ReturnType<typeof serveServices>>;
