import type { Ci, DeployTarget, Dispatched } from '../../adapters/ci/port.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { deployBranch, deployLockMs, type Deployment, type TriggerStatus } from './ci.types.ts';
import {
  findLockedForMs,
  insertTrigger,
  lockTriggers,
  storeTriggerOutcome,
} from './deploy-trigger.store.ts';
import { requireCi } from './list-runs.ts';

export interface TriggerDeployDeps {
  readonly ci: Ci | undefined;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly random: Random;
  readonly logger: Pick<Logger, 'error'>;
}

interface DeployRequest {
  readonly target: DeployTarget;
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

interface Trigger extends DeployRequest {
  readonly correlationId: string;
  readonly workflow: string;
}

interface StoredOutcome {
  readonly status: TriggerStatus;
  /** The run, or the reason for which there is none. */
  readonly detail?: string;
}

const statusOf = (outcome: Outcome<Dispatched>): StoredOutcome => {
  switch (outcome.kind) {
    case 'done': {
      const { run } = outcome.value;
      return { status: 'DISPATCHED', ...(run !== undefined && { detail: `run ${run.id}` }) };
    }
    case 'refused':
      return { status: 'REFUSED', detail: `${outcome.code}: ${outcome.message}` };
    case 'unknown':
      return { status: 'UNKNOWN', detail: outcome.reason };
    default:
      return outcome satisfies never;
  }
};

const auditTarget = ({ target }: Trigger) => ({ type: 'deploy_target', id: target });

/**
 * Records a trigger that is about to be sent, and returns its time. Two at once are decided one
 * after the other, whichever replicas they reach. @throws AppError DEPLOY_TOO_SOON
 */
const recordTrigger = (
  { inTransaction, audit }: TriggerDeployDeps,
  trigger: Trigger,
): Promise<Date> =>
  inTransaction(async (tx) => {
    await lockTriggers(tx);
    const waitMs = await findLockedForMs(tx, deployLockMs);
    if (waitMs !== undefined) {
      throw new AppError('DEPLOY_TOO_SOON', { retryAfterSeconds: waitMs / 1000 });
    }
    const { correlationId, target, workflow, principal, context } = trigger;
    const actorId = principal.adminId;
    const at = await insertTrigger(tx, { id: correlationId, target, actorId });
    await audit.record(tx, {
      action: 'devops.deploy.trigger',
      ...adminActor(principal, context),
      target: auditTarget(trigger),
      after: { correlationId, workflow, branch: deployBranch, status: 'DISPATCHING' },
    });
    return at;
  });

/** Records the outcome of a trigger, once. */
const recordTriggerOutcome = (
  { inTransaction, audit }: TriggerDeployDeps,
  trigger: Trigger,
  outcome: Outcome<Dispatched>,
): Promise<void> =>
  inTransaction(async (tx) => {
    const { correlationId, principal, context } = trigger;
    const { status, detail } = statusOf(outcome);
    const decided = { before: 'DISPATCHING', status, detail } as const;
    // The sweep may have found the run while the call was still on its way.
    if (!(await storeTriggerOutcome(tx, correlationId, decided))) return;
    await audit.record(tx, {
      action: 'devops.deploy.outcome',
      ...adminActor(principal, context),
      target: auditTarget(trigger),
      before: { correlationId, status: 'DISPATCHING' },
      after: { correlationId, status, ...(detail !== undefined && { detail }) },
    });
  });

const notAvailable = 'The CI system is not available right now; nothing was started.';
const notAccepted = 'The CI system refused the deployment; nothing was started.';

/** Returns the error of a dispatch that was refused, or whose outcome is unknown. */
const errorOf = (
  outcome: Exclude<Outcome<Dispatched>, { kind: 'done' }>,
  details: object,
): AppError => {
  if (outcome.kind === 'unknown') {
    return new AppError('DEPLOY_OUTCOME_UNKNOWN', { details, cause: new Error(outcome.reason) });
  }
  const cause = new Error(outcome.message);
  return isUnavailable(outcome)
    ? new AppError('CI_UNAVAILABLE', { message: notAvailable, details, cause })
    : new AppError('CI_REFUSED', { message: notAccepted, details, cause });
};

/**
 * Starts the deployment of a target, of branch `main`. The trigger is recorded before the CI
 * system is called, and its outcome after: nothing happens in between that nobody could find.
 * @throws AppError CI_NOT_CONFIGURED, DEPLOY_TOO_SOON, CI_UNAVAILABLE and CI_REFUSED (nothing was
 * started), DEPLOY_OUTCOME_UNKNOWN
 */
export const triggerDeploy = async (
  deps: TriggerDeployDeps,
  request: DeployRequest,
): Promise<Deployment> => {
  const ci = requireCi(deps.ci);
  const { target } = request;
  const correlationId = deps.random.uuid();
  const workflow = ci.workflowOf(target);
  const trigger = { ...request, correlationId, workflow };
  const dispatchedAt = await recordTrigger(deps, trigger);
  const outcome = await ci.dispatch({ target, branch: deployBranch, correlationId });
  try {
    await recordTriggerOutcome(deps, trigger, outcome);
  } catch (error) {
    // The CI system's response still stands; the trigger stays on record as DISPATCHING.
    const message = 'the outcome of a deployment was not recorded';
    deps.logger.error({ err: error, correlationId }, message);
  }
  if (outcome.kind === 'done') {
    return { correlationId, target, workflow, dispatchedAt, ...outcome.value };
  }
  throw errorOf(outcome, {
    correlationId,
    target,
    workflow,
    dispatchedAt: dispatchedAt.toISOString(),
  });
};
