import { createServer } from 'node:http';
import { createCi } from '../../adapters/ci/create-ci.ts';
import { adminAccess, createAdmins, hasActiveSuperAdmin } from '../../modules/admins/index.ts';
import { createAudit } from '../../modules/audit/index.ts';
import { createCiAdmin } from '../../modules/ci/index.ts';
import { createKycReview } from '../../modules/kyc/index.ts';
import { createNotify } from '../../modules/notifications/index.ts';
import { createPriceAdmin, findLastTick } from '../../modules/price/index.ts';
import {
  createReadinessAdminRoutes,
  createReadinessReport,
  checkFirstAdmin,
  checkGoldProvider,
  checkMigrations,
  checkPaymentGateways,
  checkPayoutProvider,
  checkPriceFeed,
  checkSecrets,
} from '../../modules/readiness/index.ts';
import { createReconciliation } from '../../modules/reconciliation/index.ts';
import { createSettings } from '../../modules/settings/index.ts';
import { adapterDeps } from '../../runtime/adapter-deps.ts';
import { createApiApp } from '../../runtime/create-api-app.ts';
import { createRuntime } from '../../runtime/create-runtime.ts';
import { createTrade } from '../../runtime/create-trade.ts';
import { tradeVariables } from '../../runtime/trade.variables.ts';
import { healthRoutes } from '../../runtime/health.routes.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { apiVariables } from '../../runtime/process.variables.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';
import { adminVariables } from './admin.variables.ts';

/** Starts the admin API, for operators. */
await runMain(async (env) => {
  const config = loadConfig({ ...apiVariables, ...tradeVariables, ...adminVariables }, env);
  const runtime = await createRuntime('admin', config, env);
  const { database, wall } = runtime;
  const { db, inTransaction } = database;
  const shared = { ...runtime, db, inTransaction };
  const trade = createTrade(config, env, runtime);
  const { provider, gateways, payoutProvider } = trade;
  const ci = createCi(env, adapterDeps(runtime));

  const admins = createAdmins({ ...shared, tokenTtlSeconds: config.ADMIN_TOKEN_TTL_SECONDS });
  const kyc = createKycReview({
    ...shared,
    provider,
    notify: createNotify(runtime),
  });
  const reconciliation = createReconciliation({
    ...shared,
    gateways,
    goldProvider: provider,
    payoutProvider,
  });
  const report = createReadinessReport({
    db,
    checks: {
      gold_provider: checkGoldProvider(provider),
      payment_gateway: checkPaymentGateways([...gateways.values()]),
      payout_provider: checkPayoutProvider(payoutProvider),
      price_feed: checkPriceFeed(async () => (await findLastTick(db))?.mark, wall),
      database_migrations: checkMigrations(db),
      first_admin: checkFirstAdmin(() => hasActiveSuperAdmin(db)),
      production_secrets: checkSecrets(config.APP_MODE),
    },
  });

  const app = createApiApp(
    {
      name: 'admin',
      title: 'Digital Gold admin API',
      description: 'For operators.',
      prefix: '/v1',
      limitPerMinute: 60,
      docs: true,
      guard: admins.guard,
      routes: [
        ...healthRoutes,
        ...admins.adminRoutes,
        ...kyc.adminRoutes,
        ...trade.gold.adminRoutes,
        ...trade.payouts.adminRoutes,
        ...createAudit({ db, access: adminAccess('SUPER_ADMIN', 'ADMIN') }).adminRoutes,
        ...createReadinessAdminRoutes({ ...shared, report }),
        ...reconciliation.adminRoutes,
        ...createSettings(shared).adminRoutes,
        ...createPriceAdmin(shared).adminRoutes,
        ...createCiAdmin({ ...shared, ci }).adminRoutes,
      ],
    },
    config,
    runtime,
  );
  await startProcess({
    runtime,
    config,
    api: { server: createServer(app), port: config.PORT },
    closeFirst: [
      { name: 'trade', close: () => trade.close() },
      { name: 'ci', close: async () => ci?.close() },
    ],
  });
});
