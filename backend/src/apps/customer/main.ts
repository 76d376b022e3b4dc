import { createServer } from 'node:http';
import { createSmsGateway } from '../../adapters/sms/create-sms-gateway.ts';
import { createObjectStore } from '../../adapters/object-store/create-object-store.ts';
import { createRevocationList } from '../../platform/auth/revocation-list.ts';
import { closeRedis, createRedis } from '../../platform/redis/index.ts';
import { createHolding, createHoldings } from '../../modules/holdings/index.ts';
import { createIdentity } from '../../modules/identity/index.ts';
import { createKyc, kycStatusOf } from '../../modules/kyc/index.ts';
import { attachPriceSocket } from '../../modules/price/index.ts';
import { createReadinessCustomerRoutes } from '../../modules/readiness/index.ts';
import { adapterDeps } from '../../runtime/adapter-deps.ts';
import { createApiApp } from '../../runtime/create-api-app.ts';
import { createRuntime } from '../../runtime/create-runtime.ts';
import { healthRoutes } from '../../runtime/health.routes.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { apiVariables } from '../../runtime/process.variables.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';
import { createTrade } from '../../runtime/create-trade.ts';
import { tradeVariables } from '../../runtime/trade.variables.ts';

/** Starts the customer API: mobile and web clients, webhooks, and the price feed's sockets. */
await runMain(async (env) => {
  const config = loadConfig({ ...apiVariables, ...tradeVariables }, env);
  const runtime = await createRuntime('customer', config, env);
  const { database, redis, logger, clock } = runtime;
  const { db, inTransaction } = database;
  const sms = createSmsGateway(env, adapterDeps(runtime));
  const trade = createTrade(config, env, runtime);

  const identity = createIdentity({
    ...runtime,
    db,
    inTransaction,
    sms,
    revocations: createRevocationList({
      redis,
      onError: (error) => logger.warn({ err: error }, 'the revocation list can not be read'),
    }),
    credentialPepper: config.CREDENTIAL_PEPPER,
    onUserCreated: (tx, userId) => createHolding(tx, userId, clock.now()),
    kycStatusOf,
  });
  const kyc = createKyc({
    ...runtime,
    db,
    inTransaction,
    objects: createObjectStore(env),
  });
  const holdings = createHoldings({ ...runtime, db, price: trade.price.live });

  const app = createApiApp(
    {
      name: 'customer',
      title: 'Digital Gold customer API',
      description: 'Buy, sell and hold gold.',
      prefix: '/v1',
      limitPerMinute: 100,
      docs: true,
      guard: identity.customerGuard,
      routes: [
        ...healthRoutes,
        ...identity.customerRoutes,
        ...kyc.customerRoutes,
        ...trade.price.customerRoutes,
        ...trade.gold.customerRoutes,
        ...trade.payments.customerRoutes,
        ...trade.banking.customerRoutes,
        ...trade.payouts.customerRoutes,
        ...trade.payouts.webhookRoutes,
        ...holdings.customerRoutes,
        ...createReadinessCustomerRoutes({
          gates: trade.gates,
          hasUsableGateway: trade.hasUsableGateway,
        }),
      ],
    },
    config,
    runtime,
  );
  const server = createServer(app);
  const publisher = createRedis(config.REDIS_URL, 'patient', { logger });
  const subscriber = createRedis(config.REDIS_URL, 'patient', { logger });
  const io = attachPriceSocket(server, {
    publisher,
    subscriber,
    db: runtime.database.db,
    wall: runtime.wall,
    logger,
  });
  await startProcess({
    runtime,
    config,
    api: { server, port: config.PORT },
    // Not io.close(): that would close the server under the lifecycle.
    beforeStop: () => {
      io.engine.close();
    },
    closeFirst: [
      { name: 'sockets', close: () => Promise.all([publisher, subscriber].map(closeRedis)) },
      { name: 'sms', close: () => sms.close() },
      { name: 'trade', close: () => trade.close() },
    ],
  });
});
