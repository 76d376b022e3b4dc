import { createServer } from 'node:http';
import { attachPriceSocket, createSocketGauge } from '../../modules/price/index.ts';
import { closeRedis } from '../../platform/redis/index.ts';
import { createApiApp } from '../../runtime/create-api-app.ts';
import { createRuntime } from '../../runtime/create-runtime.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { openRedis } from '../../runtime/open-redis.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';
import { createCustomerApi, customerApiVariables } from './customer-api.ts';

/** Starts the customer API: mobile and web clients, webhooks, and the price feed's sockets. */
await runMain('customer', async (env) => {
  const config = loadConfig(customerApiVariables, env);
  const runtime = await createRuntime('customer', config, env);
  const { logger, redis } = runtime;
  const { definition, identity, sms, objects, services } = createCustomerApi(config, env, runtime);
  const server = createServer(createApiApp(definition, config, runtime));
  const publisher = openRedis(config, 'patient', { logger, follows: redis });
  const subscriber = openRedis(config, 'patient', { logger, follows: redis });
  const io = attachPriceSocket(server, {
    publisher,
    subscriber,
    db: runtime.database.db,
    wall: runtime.wall,
    timers: runtime.timers,
    logger,
    metrics: runtime.metrics,
    trustProxyHops: config.TRUST_PROXY_HOPS,
    socketsPerAddress: config.SOCKETS_PER_ADDRESS,
  });
  createSocketGauge(io, runtime.metrics.registry);
  await startProcess({
    runtime,
    config,
    api: { server, port: config.PORT },
    // io.close() would also close the HTTP server, which only startProcess may close.
    beforeStop: () => {
      io.engine.close();
    },
    closeFirst: [
      { name: 'sockets', close: () => Promise.all([publisher, subscriber].map(closeRedis)) },
      { name: 'codes', close: () => identity.settle() },
      { name: 'sms', close: () => sms.close() },
      { name: 'objects', close: () => objects.close() },
      { name: 'services', close: () => services.close() },
    ],
  });
});
