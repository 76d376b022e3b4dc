import type { Ci, CiRun, DeployTarget, Dispatched } from '../../adapters/ci/port.ts';
import type { CallProtocol, CallResult } from '../../platform/collaborator-call/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';
import { deployBranch, type TriggerStatus, type UndecidedTrigger } from './ci.types.ts';
import {
  findLockedForMs,
  insertTrigger,
  lockTriggers,
  markTriggerQueried,
  updateTriggerOutcome,
} from './deploy-triggers.store.ts';

/** The newest runs of a target's workflow. */
export interface RunHistory {
  readonly runs: readonly CiRun[];
  /** True if no missing run could belong to the triggers in question. */
  readonly isComplete: boolean;
}

/** The actor behind a trigger, for the audit log. */
type TriggeredBy = Pick<AuditEntry, 'actor' | 'requestId' | 'ip'>;

interface NewDeployment {
  readonly id: string;
  readonly target: DeployTarget;
  readonly actorId: string;
  readonly by: TriggeredBy;
}

/** A recorded trigger whose outcome is not recorded yet. */
interface OpenDeployment extends UndecidedTrigger {
  readonly ageMs: number;
  readonly by: TriggeredBy;
  /**
   * Reads the runs since before the trigger. Returns undefined if the CI system does not respond. It
   * is absent for a trigger that is sent now.
   */
  readonly readRuns?: () => Promise<RunHistory | undefined>;
}

export interface DeploymentDeps {
  readonly ci: Ci;
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
}

/** Decides after this time that no run was started. A run is usually visible within seconds. */
const notStartedAfterMs = 60 * 60_000;

const NOT_STARTED = 'NOT_STARTED';

/** The shortest real time between two deployments. */
const deployLockMs = 60_000;

/**
 * Records a trigger that is about to be sent. Concurrent triggers are serialised over all replicas.
 * @throws AppError DEPLOY_TOO_SOON
 */
const recordTrigger = (
  { ci, inTransaction, audit }: DeploymentDeps,
  { id, target, actorId, by }: NewDeployment,
): Promise<OpenDeployment> =>
  inTransaction(async (tx) => {
    await lockTriggers(tx);
    const waitMs = await findLockedForMs(tx, deployLockMs);
    if (waitMs !== undefined) {
      throw new AppError('DEPLOY_TOO_SOON', { retryAfterSeconds: waitMs / 1000 });
    }
    const at = await insertTrigger(tx, { id, target, actorId });
    const status = 'DISPATCHING';
    await audit.record(tx, {
      action: 'devops.deploy.trigger',
      ...by,
      target: { type: 'deploy_target', id: target },
      after: { correlationId: id, workflow: ci.workflowOf(target), branch: deployBranch, status },
    });
    return { id, target, status, at, ageMs: 0, by };
  });

/** Returns the status of a trigger after a result, with its run or the reason why there is none. */
const statusOf = (
  result: CallResult<Dispatched>,
): { readonly status: TriggerStatus; readonly detail?: string } => {
  const { kind } = result;
  if (kind === 'DONE') {
    const { run } = result.value;
    return { status: 'DISPATCHED', ...(run !== undefined && { detail: `run ${run.id}` }) };
  }
  const { reason: detail } = result;
  if (kind === 'UNKNOWN') return { status: 'UNKNOWN', detail };
  // A trigger is never sent again, so a refusal after which a repeat would be allowed is final as
  // well.
  if (kind === 'INTENDED') return { status: 'REFUSED', detail };
  if (result.code === NOT_STARTED) return { status: NOT_STARTED, detail };
  return { status: 'REFUSED', detail: `${result.code}: ${detail}` };
};

/** Records the outcome of a trigger, unless its status has changed since it was read. */
const recordOutcome = (
  { inTransaction, audit }: DeploymentDeps,
  { id, target, status: before, by }: OpenDeployment,
  result: CallResult<Dispatched>,
): Promise<void> =>
  inTransaction(async (tx) => {
    const { status, detail } = statusOf(result);
    // The sweep may have found the run before the response arrived.
    if (!(await updateTriggerOutcome(tx, id, { before, status, detail }))) return;
    await audit.record(tx, {
      action: 'devops.deploy.outcome',
      ...by,
      target: { type: 'deploy_target', id: target },
      before: { correlationId: id, status: before },
      after: { correlationId: id, status, ...(detail !== undefined && { detail }) },
    });
  });

/**
 * Declares how a deployment of branch `main` is started, and how its outcome is found. A trigger is
 * sent only once. If there is no response, the run is searched by the trigger's correlation id.
 */
export const createDeploymentCall = (
  deps: DeploymentDeps,
): CallProtocol<NewDeployment | OpenDeployment, OpenDeployment, Dispatched> => ({
  flow: 'deployment',
  fieldsOf: ({ id: correlationId }) => ({ correlationId }),
  claim: async (key) =>
    'ageMs' in key
      ? { kind: 'QUERY', call: key }
      : { kind: 'SEND', call: await recordTrigger(deps, key), wasSent: false },
  send: ({ id: correlationId, target }) =>
    deps.ci.dispatch({ target, branch: deployBranch, correlationId }),
  hasArrived: ({ ageMs }) => ageMs >= notStartedAfterMs,
  async query(trigger) {
    const history = await trigger.readRuns?.();
    if (history === undefined) return { kind: 'UNKNOWN', reason: 'the CI system did not respond' };
    const run = history.runs.find(({ correlationId }) => correlationId === trigger.id);
    if (run !== undefined) return { kind: 'DONE', value: { run } };
    return history.isComplete
      ? { kind: 'NONE', reason: 'the list has no run of it' }
      : { kind: 'UNKNOWN', reason: 'the list does not go back so far' };
  },
  decide({ readRuns }, hasArrived) {
    if (readRuns === undefined) return 'SEND';
    return hasArrived
      ? { kind: 'REFUSED', code: NOT_STARTED, reason: 'the CI system has no run of it' }
      : { kind: 'UNKNOWN', reason: 'its run may still show' };
  },
  record: (trigger, result) =>
    result.kind === 'UNKNOWN' && result.answer === undefined
      ? markTriggerQueried(deps.db, trigger.id)
      : recordOutcome(deps, trigger, result),
});
