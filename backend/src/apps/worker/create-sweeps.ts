import type { Ci } from '../../adapters/ci/port.ts';
import type { ObjectStore } from '../../adapters/object-store/port.ts';
import { createApprovalExpiry } from '../../modules/approvals/index.ts';
import { createRefusalSweep } from '../../modules/audit/index.ts';
import { createImageRemoval, createRepricing } from '../../modules/catalogue/index.ts';
import { createDecideDeployments } from '../../modules/ci/index.ts';
import { createDocumentRemoval, createKycSweeps } from '../../modules/kyc/index.ts';
import { createPriceThinning } from '../../modules/price/index.ts';
import { createProveHoldingsSweep } from '../../modules/reconciliation/index.ts';
import { createFoldChangesSweep } from '../../modules/transaction-counts/index.ts';
import type { Config } from '../../platform/config/config.ts';
import { createDeadPoolSweep, type Sweep } from '../../platform/jobs/index.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';
import type { Services } from '../../runtime/create-services.ts';
import { createKeyringMetrics } from '../../runtime/rotate-keyring.ts';
import { createKeyedRenewal, createKeyringRotation } from './create-key-sweeps.ts';
import { createPurges } from './create-purges.ts';
import type { workerVariables } from './worker.variables.ts';

interface SweepsOptions {
  readonly config: Config<typeof workerVariables>;
  readonly runtime: Runtime;
  readonly services: Services;
  readonly kycEvents: { readonly sweeps: readonly Sweep[] };
  readonly objects: ObjectStore;
  readonly ci: Ci | undefined;
  readonly books: { readonly sweeps: readonly Sweep[] };
}

/**
 * Creates the sweeps of the worker. A sweep without a period of its own runs every
 * `JANITOR_EVERY_MS`.
 */
export const createSweeps = (options: SweepsOptions): readonly Sweep[] => {
  const { config, runtime, services, kycEvents, objects, ci, books } = options;
  const { database, clock, logger, metrics } = runtime;
  const { db, inTransaction } = database;
  const { banking, gold, payments, payouts, plans, price, settleRewards } = services;
  const rareMs = 10 * config.JANITOR_EVERY_MS;
  return [
    createDeadPoolSweep({ inTransaction, logger }),
    createRefusalSweep({ ...runtime, db, inTransaction }),
    createApprovalExpiry({ ...runtime, db, inTransaction }),
    ...[...gold.expirySweeps, ...plans.sweeps].map((sweep) => ({
      ...sweep,
      everyMs: config.EXPIRY_EVERY_MS,
    })),
    ...gold.sweeps,
    ...payments.sweeps,
    ...banking.sweeps,
    ...payouts.sweeps,
    settleRewards,
    ...kycEvents.sweeps,
    ...createKycSweeps({ ...runtime, db }),
    createProveHoldingsSweep({ db, logger }),
    ...books.sweeps,
    createDecideDeployments({ ...runtime, db, inTransaction, ci }),
    createFoldChangesSweep({ db }),
    createDocumentRemoval({ db, logger, objects }),
    createRepricing({
      ...runtime,
      db,
      inTransaction,
      live: price.live,
      everyMs: config.JANITOR_EVERY_MS,
    }),
    createImageRemoval({ db, objects, clock, logger, everyMs: rareMs }),
    ...createPurges({ db, clock, metrics, everyMs: rareMs }),
    createPriceThinning({ ...runtime, db, everyMs: rareMs }),
    {
      name: 'keyring-rotate',
      everyMs: rareMs,
      run: createKeyringRotation({
        ...runtime,
        db,
        inTransaction,
        keyringMetrics: createKeyringMetrics(metrics.registry),
      }),
    },
    {
      name: 'keyring-renew-keyed-values',
      everyMs: rareMs,
      run: createKeyedRenewal({ ...runtime, db }),
    },
  ];
};
