import { createPriceBroadcast, createPriceFeed } from '../../modules/price/index.ts';
import { purgeLapsedIdentity } from '../../modules/identity/index.ts';
import { defineVariables } from '../../platform/config/config.ts';
import { integer } from '../../platform/config/kinds.ts';
import {
  createJobRunner,
  createQueueGauge,
  createQueueSweeps,
  createScheduleMover,
  createSweep,
  createSweepRunner,
} from '../../platform/jobs/index.ts';
import { createRuntime } from '../runtime/create-runtime.ts';
import { createTrade, tradeVariables } from '../runtime/create-trade.ts';
import { loadConfig } from '../runtime/load-config.ts';
import { runMain, startProcess } from '../runtime/start-process.ts';
import { createJanitor } from './create-janitor.ts';

const workerVariables = defineVariables({
  JANITOR_EVERY_MS: {
    schema: integer(60_000, 200, 600_000),
    doc: "real time between the janitor's rounds in milliseconds",
  },
  EXPIRY_EVERY_MS: {
    schema: integer(5000, 200, 600_000),
    doc: 'real time between two looks for what has run out, in milliseconds',
  },
  JOB_CONCURRENCY: { schema: integer(10, 1, 100), doc: 'jobs at a time in this process' },
});

/** The worker: price feed, allocation, payouts, schedules, the janitor. */
await runMain(async (env) => {
  const config = loadConfig({ ...tradeVariables, ...workerVariables }, env);
  const runtime = await createRuntime('worker', config, env);
  const { database, clock, logger, metrics, redis } = runtime;
  const { db, inTransaction } = database;
  const trade = createTrade(config, env, runtime);
  const { banking, gold, payments, payouts, price } = trade;

  const feed = createPriceFeed({
    ...runtime,
    ask: price.ask,
    store: price.store,
    cache: price.cache,
    broadcast: createPriceBroadcast({ redis, logger }),
  });
  const mover = createScheduleMover({ db, clock, logger });
  const jobs = createJobRunner({
    databaseUrl: config.DATABASE_URL,
    tasks: { ...gold.jobs, ...payments.jobs, ...banking.jobs, ...payouts.jobs },
    concurrency: config.JOB_CONCURRENCY,
    logger,
    metrics,
  });
  const sweeps = createSweepRunner({
    redis,
    logger,
    metrics,
    sweeps: [
      ...createQueueSweeps({ db, inTransaction, logger, metrics }),
      ...gold.expirySteps.map(({ name, run }) =>
        createSweep({ name, everyMs: config.EXPIRY_EVERY_MS, run }),
      ),
      createSweep({
        name: 'janitor',
        everyMs: config.JANITOR_EVERY_MS,
        run: createJanitor({
          logger,
          steps: [
            ...gold.janitorSteps,
            ...payments.janitorSteps,
            ...banking.janitorSteps,
            ...payouts.janitorSteps,
          ],
        }),
      }),
      createSweep({
        name: 'identity-purge',
        everyMs: 10 * config.JANITOR_EVERY_MS,
        run: async () => {
          await purgeLapsedIdentity({ db, clock });
        },
      }),
    ],
  });

  feed.start();
  mover.start();
  jobs.start();
  sweeps.start();
  await startProcess({
    runtime,
    config,
    beforeMetrics: createQueueGauge({ db, metrics, logger }),
    onDrain: () => Promise.all([feed.stop(), mover.stop(), sweeps.stop(), jobs.stop()]),
    closeFirst: [{ name: 'trade', close: () => trade.close() }],
  });
});
