import type { Ci, DeployTarget, Dispatched } from '../../adapters/ci/port.ts';
import {
  makeCall,
  type CallDeps,
  type CallResult,
} from '../../platform/collaborator-call/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { Deployment } from './ci.types.ts';
import { createDeploymentCall } from './deployment-call.ts';
import { requireCi } from './list-runs.ts';

export interface TriggerDeployDeps extends CallDeps {
  readonly ci: Ci | undefined;
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly random: Random;
  readonly logger: Logger;
}

interface DeployRequest extends ByOperator {
  readonly target: DeployTarget;
}

const notAvailable = 'The CI system is not responding. Nothing was started. Please try again.';
const notAccepted = 'The CI system refused the deployment. Nothing was started.';

/** Returns the error of a dispatch that was refused, or whose outcome is unknown. */
const errorOf = (
  { kind, reason }: Exclude<CallResult<Dispatched>, { kind: 'DONE' }>,
  details: object,
): AppError => {
  const cause = new Error(reason);
  if (kind === 'UNKNOWN') return new AppError('DEPLOY_OUTCOME_UNKNOWN', { details, cause });
  return kind === 'INTENDED'
    ? new AppError('CI_UNAVAILABLE', { message: notAvailable, details, cause })
    : new AppError('CI_REFUSED', { message: notAccepted, details, cause });
};

/**
 * Starts the deployment of a target, from branch `main`. The trigger is recorded before the CI
 * system is called, and its outcome after, so that every started run can be found.
 * @throws AppError CI_NOT_CONFIGURED, DEPLOY_TOO_SOON, CI_UNAVAILABLE, CI_REFUSED, all of which
 *   mean that nothing was started, and DEPLOY_OUTCOME_UNKNOWN
 */
export const triggerDeploy = async (
  deps: TriggerDeployDeps,
  { target, principal, context }: DeployRequest,
): Promise<Deployment> => {
  const ci = requireCi(deps.ci);
  const correlationId = deps.random.uuid();
  const call = createDeploymentCall({ ...deps, ci });
  const record: typeof call.record = async (trigger, outcome) => {
    try {
      await call.record(trigger, outcome);
    } catch (error) {
      // The CI system's response still stands. The trigger stays on record as DISPATCHING.
      const message = 'the outcome of a deployment was not recorded';
      deps.logger.error({ err: error, correlationId }, message);
    }
  };
  const by = adminActor(principal, context);
  const key = { id: correlationId, target, actorId: principal.adminId, by };
  const result = await makeCall(deps, { ...call, record }, key);
  invariant(result.kind !== 'SKIP', 'a new deployment is sent');
  const deployment = {
    correlationId,
    target,
    workflow: ci.workflowOf(target),
    dispatchedAt: result.call.at,
  };
  if (result.kind !== 'DONE') {
    throw errorOf(result, { ...deployment, dispatchedAt: result.call.at.toISOString() });
  }
  return { ...deployment, ...result.value };
};
