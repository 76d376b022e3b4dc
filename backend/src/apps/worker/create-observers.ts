import { createChainGauge } from '../../modules/audit/index.ts';
import { createFigures } from '../../modules/figures/index.ts';
import type { Config } from '../../platform/config/config.ts';
import { createQueueGauge } from '../../platform/jobs/index.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';
import type { Services } from '../../runtime/create-services.ts';
import type { workerVariables } from './worker.variables.ts';

interface ObserversOptions {
  readonly config: Pick<Config<typeof workerVariables>, 'FIGURES_EVERY_MS'>;
  readonly runtime: Runtime;
  readonly services: Pick<Services, 'gates'>;
  readonly standstill: { observe(): Promise<void> };
  readonly books: { observe(): Promise<void> };
}

/** Creates the function that updates the worker's gauges whenever its metrics are read. */
export const createObservers = (options: ObserversOptions): (() => Promise<void>) => {
  const { config, runtime, services, standstill, books } = options;
  const { database, metrics, logger } = runtime;
  const { db, inTransaction } = database;
  const observers = [
    createQueueGauge({ db, metrics, logger }),
    () => standstill.observe(),
    () => books.observe(),
    createChainGauge({ db, registry: metrics.registry, logger }),
    createFigures({
      ...runtime,
      db,
      inTransaction,
      registry: metrics.registry,
      gates: services.gates,
      everyMs: config.FIGURES_EVERY_MS,
    }),
  ];
  return async () => {
    await Promise.all(observers.map((observe) => observe()));
  };
};
