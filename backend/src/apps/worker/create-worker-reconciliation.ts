import { createReconciliation, runLimitsOf } from '../../modules/reconciliation/index.ts';
import { fromSafeBps } from '../../money/index.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';
import type { Services } from '../../runtime/create-services.ts';
import type { workerProcessVariables } from './worker.variables.ts';

/** Creates the runs of reconciliation, and the schedule that asks for them. */
export const createWorkerReconciliation = (
  config: Config<typeof workerProcessVariables>,
  runtime: Runtime,
  { gateways, provider: goldProvider, payoutProvider }: Services,
) => {
  const { db, inTransaction, connections } = runtime.database;
  return createReconciliation({
    ...runtime,
    db,
    inTransaction,
    connections,
    gateways,
    goldProvider,
    payoutProvider,
    priceToleranceBps: fromSafeBps(config.PRICE_TOLERANCE_BPS),
    runLimits: runLimitsOf(config.RECONCILIATION_QUERIES_PER_SECOND),
  });
};
