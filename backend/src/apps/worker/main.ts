import { createCi } from '../../adapters/ci/create-ci.ts';
import { createObjectStore } from '../../adapters/object-store/create-object-store.ts';
import { createPriceBroadcast, createPriceFeed } from '../../modules/price/index.ts';
import { createKycEvents } from '../../modules/kyc/index.ts';
import {
  createJobRunner,
  createScheduleMover,
  createStandstill,
  createSweepRunner,
} from '../../platform/jobs/index.ts';
import { adapterDeps, createRuntime } from '../../runtime/create-runtime.ts';
import { createServices } from '../../runtime/create-services.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { runMain, startProcess } from '../../runtime/start-process.ts';

import { createObservers } from './create-observers.ts';
import { createSweeps } from './create-sweeps.ts';
import { createTasks } from './create-tasks.ts';
import { openJobConnections } from './job-connections.ts';
import { createWorkerBooks } from './create-worker-reconciliation.ts';
import { workerProcessVariables } from './worker.variables.ts';

/** Starts the worker, which runs the price feed, jobs, schedules and sweeps. */
await runMain('worker', async (env) => {
  const config = loadConfig(workerProcessVariables, env);
  const runtime = await createRuntime('worker', config, env);
  const { database, clock, logger, metrics, redis } = runtime;
  const { db, inTransaction } = database;
  const objects = createObjectStore(env, adapterDeps(runtime));
  const ci = createCi(env, adapterDeps(runtime));
  const services = createServices(config, env, runtime, { receivesWebhooks: false });
  const kycEvents = createKycEvents({ ...runtime, db, inTransaction });
  const books = createWorkerBooks(config, runtime, services);
  const feed = createPriceFeed({
    ...runtime,
    db,
    fetchPrice: services.price.fetchPrice,
    broadcast: createPriceBroadcast({ redis, logger }),
  });
  const mover = createScheduleMover({ db, clock, logger });
  const tasks = createTasks(services, { kycEvents, books });
  const jobConnections = openJobConnections(config, runtime);
  const jobs = createJobRunner({
    connections: jobConnections.connections,
    tasks,
    concurrency: config.JOB_CONCURRENCY,
    logger,
    metrics,
  });
  const sweeps = createSweepRunner({
    redis,
    logger,
    metrics,
    everyMs: config.JANITOR_EVERY_MS,
    sweeps: createSweeps({ config, runtime, services, kycEvents, objects, ci, books }),
  });

  const standstill = createStandstill({
    connections: database.connections,
    runner: jobs,
    tasks: Object.keys(tasks),
    registry: metrics.registry,
    logger,
    limitSeconds: config.JOB_STANDSTILL_SECONDS,
  });
  feed.start();
  mover.start();
  jobs.start();
  sweeps.start();
  await startProcess({
    runtime,
    config,
    checks: [{ name: 'jobs', isRequired: true, check: standstill.check }],
    beforeMetrics: createObservers({ config, runtime, services, standstill, books }),
    onDrain: () =>
      Promise.all([jobConnections, feed, mover, sweeps, jobs].map((part) => part.stop())),
    closeFirst: [
      { name: 'services', close: () => services.close() },
      { name: 'ci', close: async () => ci?.close() },
      { name: 'objects', close: () => objects.close() },
      { name: 'job connections', close: jobConnections.close },
    ],
  });
});
