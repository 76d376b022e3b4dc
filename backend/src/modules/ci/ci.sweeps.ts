import { deployTargets, type Ci, type CiRun, type DeployTarget } from '../../adapters/ci/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import {
  createCallSweep,
  makeCall,
  type CallDeps,
} from '../../platform/collaborator-call/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { currentRequestId } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Sweep } from '../../platform/jobs/sweep.ts';
import type { Auditor } from '../audit/index.ts';
import { listQuietTriggers, markTriggerQueried } from './deploy-triggers.store.ts';
import { createDeploymentCall, type RunHistory } from './deployment-call.ts';

interface DecideDeploymentsDeps extends CallDeps {
  readonly ci: Ci | undefined;
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly random: Random;
}

/** Leaves a trigger to the process that sends it, since that call takes at most a minute. */
const quietMs = 60_000;
/** Allows the clocks of the CI system and the database to differ. */
const skewMs = 5 * 60_000;
const batchSize = 100;
const runsPerPage = 100;
/** The CI system returns at most 1,000 runs for a query. */
const lastPage = 10;

/** Reads the runs since a time, page by page. Returns undefined if the CI system does not respond. */
const readRunsSince = async (
  ci: Ci,
  target: DeployTarget,
  since: Date,
): Promise<RunHistory | undefined> => {
  const runs: CiRun[] = [];
  let isReadable = true;
  for (let page = 1; page <= lastPage; page += 1) {
    const outcome = await ci.listRuns({ target, count: runsPerPage, page, since });
    if (outcome.kind !== 'done') return undefined;
    const { runs: pageRuns, unreadable, hasMore } = outcome.value;
    runs.push(...pageRuns);
    // An unreadable run may be the run of the trigger.
    isReadable &&= unreadable === 0;
    const oldest = pageRuns.at(-1);
    if (!hasMore || (oldest !== undefined && oldest.createdAt < since)) {
      return { runs, isComplete: isReadable };
    }
  }
  return { runs, isComplete: false };
};

/** Lists undecided triggers by target. The runs of a target are read once for all its triggers. */
const listOpenDeployments = async (deps: DecideDeploymentsDeps, ci: Ci) => {
  const triggers = await listQuietTriggers(deps.db, { quietMs, limit: batchSize });
  const requestId = currentRequestId() ?? deps.random.uuid();
  const by = { actor: { api: 'system' }, requestId } as const;
  return deployTargets.flatMap((target) => {
    const ofTarget = triggers.filter((trigger) => trigger.target === target);
    const oldest = new Date(Math.min(...ofTarget.map(({ at }) => at.getTime())));
    let reading: Promise<RunHistory | undefined> | undefined;
    const readRuns = () => (reading ??= readRunsSince(ci, target, addMs(oldest, -skewMs)));
    return ofTarget.map((trigger) => ({ ...trigger, by, readRuns }));
  });
};

/**
 * Creates the sweep that queries the CI system for the runs of triggers with an unknown outcome,
 * because their process died or the response was lost. It never starts a deployment. Without a CI
 * system it does nothing.
 */
export const createDecideDeployments = (deps: DecideDeploymentsDeps): Sweep => {
  const { ci, db, logger } = deps;
  const name = 'ci-decide-deployments';
  if (ci === undefined) return { name, run: async () => {} };
  const call = createDeploymentCall({ ...deps, ci });
  return createCallSweep({
    name,
    flow: call.flow,
    logger,
    list: () => listOpenDeployments(deps, ci),
    call: (trigger) => makeCall(deps, call, trigger),
    postpone: ({ id }) => markTriggerQueried(db, id),
    fieldsOf: (trigger) => call.fieldsOf(trigger),
  });
};
