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
  /** True when no older run could belong to the triggers in question. */
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

/** A trigger on record whose outcome is not. */
interface OpenDeployment extends UndecidedTrigger {
  readonly ageMs: number;
  readonly by: TriggeredBy;
  /**
   * Reads the runs since before it, or undefined while the CI system does not say. Absent for a
   * trigger that is sent now.
   */
  readonly readRuns?: () => Promise<RunHistory | undefined>;
}

export interface DeploymentDeps {
  readonly ci: Ci;
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
}

/** A run shows seconds after its dispatch, minutes on a bad day. */
const notStartedAfterMs = 60 * 60_000;

const NOT_STARTED = 'NOT_STARTED';

/** Keeps deployments this far apart, in real time. */
const deployLockMs = 60_000;

/**
 * Records a trigger that is about to be sent. Two at once are decided one after the other,
 * whichever replicas they reach. @throws AppError DEPLOY_TOO_SOON
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

/** Reads the status that a result gives a trigger, with the run or the reason there is none. */
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

/** Records the outcome of a trigger, unless it is no longer as it was read. */
const recordOutcome = (
  { inTransaction, audit }: DeploymentDeps,
  { id, target, status: before, by }: OpenDeployment,
  result: CallResult<Dispatched>,
): Promise<void> =>
  inTransaction(async (tx) => {
    const { status, detail } = statusOf(result);
    // The sweep may have found the run while the call was still on its way.
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
 * sent once and never again: a run without a response is found by its correlation id.
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
    if (history === undefined) return { kind: 'UNKNOWN', reason: 'the CI system does not say' };
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
