import { createFoldChanges } from '../../modules/transactions/index.ts';
import { createCi } from '../../adapters/ci/create-ci.ts';
import { createObjectStore } from '../../adapters/object-store/create-object-store.ts';
import { createImageRemoval, createRepricing } from '../../modules/catalogue/index.ts';
import { createDecideDeployments } from '../../modules/ci/index.ts';
import { createPriceBroadcast, createPriceFeed } from '../../modules/price/index.ts';
import { createChainGauge, createRefusalSweep } from '../../modules/audit/index.ts';
import { createProveHoldings } from '../../modules/reconciliation/index.ts';
import {
  createDocumentRemoval,
  createKycEvents,
  createKycSweeps,
} from '../../modules/kyc/index.ts';
import {
  createJobRunner,
  createDeadPoolSweep,
  createQueueGauge,
  createScheduleMover,
  createSweepRunner,
} from '../../platform/jobs/index.ts';
import { adapterDeps, createRuntime } from '../../runtime/create-runtime.ts';
import { createServices } from '../../runtime/create-services.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { createKeyringMetrics } from '../../runtime/rotate-keyring.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';
import { createKeyedRenewal, createKeyringRotation } from './create-key-sweeps.ts';
import { createPurges } from './create-purges.ts';
import { workerProcessVariables } from './worker.variables.ts';

/** The worker: price feed, jobs, schedules, and the sweeps over whatever was left in between. */
await runMain(async (env) => {
  const config = loadConfig(workerProcessVariables, env);
  const runtime = await createRuntime('worker', config, env);
  const { database, clock, logger, metrics, redis } = runtime;
  const { db, inTransaction } = database;
  const objects = createObjectStore(env, adapterDeps(runtime));
  const ci = createCi(env, adapterDeps(runtime));
  const services = createServices(config, env, runtime, { receivesWebhooks: false });
  const { banking, gold, payments, payouts, plans, price } = services;
  const kycEvents = createKycEvents({ ...runtime, db, inTransaction });

  const feed = createPriceFeed({
    ...runtime,
    db,
    fetchPrice: price.fetchPrice,
    cache: price.cache,
    broadcast: createPriceBroadcast({ redis, logger }),
  });
  const mover = createScheduleMover({ db, clock, logger });
  const jobs = createJobRunner({
    databaseUrl: config.DATABASE_URL,
    tasks: { ...gold.jobs, ...payments.jobs, ...banking.jobs, ...payouts.jobs, ...kycEvents.jobs },
    concurrency: config.JOB_CONCURRENCY,
    logger,
    metrics,
  });
  const sweeps = createSweepRunner({
    redis,
    logger,
    metrics,
    everyMs: config.JANITOR_EVERY_MS,
    sweeps: [
      createDeadPoolSweep({ inTransaction, logger }),
      createRefusalSweep({ ...runtime, inTransaction }),
      ...[...gold.expirySweeps, ...plans.sweeps].map((sweep) => ({
        ...sweep,
        everyMs: config.EXPIRY_EVERY_MS,
      })),
      ...gold.sweeps,
      ...payments.sweeps,
      ...banking.sweeps,
      ...payouts.sweeps,
      ...kycEvents.sweeps,
      ...createKycSweeps({ ...runtime, db }),
      createProveHoldings({ db, logger }),
      createDecideDeployments({ ...runtime, db, inTransaction, ci }),
      createFoldChanges({ db }),
      createDocumentRemoval({ db, logger, objects }),
      createRepricing({ inTransaction, clock, live: price.live, everyMs: config.JANITOR_EVERY_MS }),
      createImageRemoval({ db, objects, clock, logger, everyMs: 10 * config.JANITOR_EVERY_MS }),
      ...createPurges({ db, clock, metrics, everyMs: 10 * config.JANITOR_EVERY_MS }),
      {
        name: 'rotate-keyring',
        everyMs: 10 * config.JANITOR_EVERY_MS,
        run: createKeyringRotation({
          ...runtime,
          db,
          inTransaction,
          keyringMetrics: createKeyringMetrics(metrics.registry),
        }),
      },
      {
        name: 'renew-keyed-values',
        everyMs: 10 * config.JANITOR_EVERY_MS,
        run: createKeyedRenewal({ ...runtime, db }),
      },
    ],
  });

  const observeQueue = createQueueGauge({ db, metrics, logger });
  const observeChain = createChainGauge({ db, registry: metrics.registry, logger });

  feed.start();
  mover.start();
  jobs.start();
  sweeps.start();
  await startProcess({
    runtime,
    config,
    beforeMetrics: async () => {
      await Promise.all([observeQueue(), observeChain()]);
    },
    onDrain: () => Promise.all([feed.stop(), mover.stop(), sweeps.stop(), jobs.stop()]),
    closeFirst: [
      { name: 'services', close: () => services.close() },
      { name: 'ci', close: async () => ci?.close() },
      { name: 'objects', close: () => objects.close() },
    ],
  });
});
