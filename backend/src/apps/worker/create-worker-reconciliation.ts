import {
  createProofGauge,
  createProofOfGold,
  readSigningKeys,
} from '../../modules/proof-of-gold/index.ts';
import { createReconciliation, runLimitsOf } from '../../modules/reconciliation/index.ts';
import { fromSafeBps } from '../../money/index.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';
import type { Services } from '../../runtime/create-services.ts';
import type { workerProcessVariables } from './worker.variables.ts';

/** Creates the runs of reconciliation, and their schedule. */
const createWorkerReconciliation = (
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

/**
 * The time limit of the queries about accounts, in milliseconds. It is long because a statement
 * needs their results.
 */
const confirmWithinMs = 3 * 60 * 60_000;

/** Creates the statements of proof of gold, and their daily schedule. */
const createWorkerProofs = (
  config: Config<typeof workerProcessVariables>,
  runtime: Runtime,
  { provider: goldProvider }: Services,
) => {
  const { db, inTransaction, readSnapshot } = runtime.database;
  const limits = runLimitsOf(config.RECONCILIATION_QUERIES_PER_SECOND);
  return createProofOfGold(
    {
      ...runtime,
      db,
      inTransaction,
      readSnapshot,
      goldProvider,
      keys: readSigningKeys(config.PROOF_SIGNING_KEYS),
      limits: { ...limits, withinMs: confirmWithinMs },
    },
    { confirmEveryMs: 30 * 60_000 },
  );
};

/** Creates the comparisons of our books with others' books: reconciliation, and proofs of gold. */
export const createWorkerBooks = (...parts: Parameters<typeof createWorkerReconciliation>) => {
  const [, runtime] = parts;
  const reconciliation = createWorkerReconciliation(...parts);
  const proofs = createWorkerProofs(...parts);
  return {
    jobs: { ...reconciliation.jobs, ...proofs.jobs },
    sweeps: [...reconciliation.sweeps, ...proofs.sweeps],
    observe: createProofGauge({
      ...runtime,
      db: runtime.database.db,
      registry: runtime.metrics.registry,
    }),
  };
};
