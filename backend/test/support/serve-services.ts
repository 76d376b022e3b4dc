import { createAdmins } from '../../src/modules/admins/index.ts';
import { createReconciliation } from '../../src/modules/reconciliation/index.ts';
import { fromSafeBps } from '../../src/money/index.ts';
import { createFactories } from './factories.ts';
import { idGuard } from './id-guard.ts';
import { openGates, openServices } from './open-services.ts';
import { openTestSystem } from './open-test-system.ts';
import { runQueuedJobs } from './run-queued-jobs.ts';

/** Serves it with its reconciliation. Webhooks of the sandbox find their way. */
export const serveServices = async () => {
  const system = await openTestSystem();
  const { sandbox } = system;
  const services = openServices(system);
  const { gold, payments, banking, payouts, gateways, provider, payoutProvider } = services;
  const factories = createFactories({ ...system, provider });
  await openGates(system);
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
    close: () => system.close(),
  };
};

export type ServedServices = Awaited<ReturnType<typeof serveServices>>;
