import type { Ci, DeployTarget, Dispatched } from '../../adapters/ci/port.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { AdminPrincipal } from '../admins/index.ts';
import { deployBranch, type Deployment } from './ci.types.ts';
import { requireCi } from './require-ci.ts';
import type { TriggerRecord } from './trigger-record.ts';

export interface DeployAsked {
  readonly target: DeployTarget;
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

const notAvailable = 'The CI system is not available right now; nothing was started.';
const notTaken = 'The CI system refused; nothing was started.';

/** The error of a dispatch that is not known to have happened. */
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
    : new AppError('CI_REFUSED', { message: notTaken, details, cause });
};

/**
 * Starts the deployment of a target, of branch `main`. The trigger is on record before the CI
 * system is asked, and its outcome after: nothing happens in between that nobody could find.
 * @throws AppError CI_NOT_CONFIGURED, DEPLOY_TOO_SOON, CI_UNAVAILABLE and CI_REFUSED (nothing was
 * started), DEPLOY_OUTCOME_UNKNOWN
 */
export const createTriggerDeploy =
  (options: {
    readonly ci: Ci | undefined;
    readonly record: TriggerRecord;
    readonly random: Random;
    readonly logger: Pick<Logger, 'error'>;
  }) =>
  async ({ target, principal, context }: DeployAsked): Promise<Deployment> => {
    const { record, random, logger } = options;
    const ci = requireCi(options.ci);
    const correlationId = random.uuid();
    const trigger = {
      correlationId,
      target,
      workflow: ci.workflowOf(target),
      principal,
      context,
    };
    const dispatchedAt = await record.open(trigger);
    const outcome = await ci.dispatch({ target, branch: deployBranch, correlationId });
    try {
      await record.settle(trigger, outcome);
    } catch (error) {
      // What the CI system said is still so, and the trigger stays on record as on its way.
      logger.error({ err: error, correlationId }, 'the outcome of a deployment is not on record');
    }
    const { workflow } = trigger;
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

export type TriggerDeploy = ReturnType<typeof createTriggerDeploy>;
