import { deployTargets, type Ci, type CiRun, type DeployTarget } from '../../adapters/ci/port.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';

/** Returns the CI system. @throws AppError CI_NOT_CONFIGURED while its access token is not set */
export const requireCi = (ci: Ci | undefined): Ci => {
  if (ci === undefined) throw new AppError('CI_NOT_CONFIGURED');
  return ci;
};

interface RunsQuery {
  /** The target, or undefined for all targets. */
  readonly target?: DeployTarget | undefined;
  /** The number of runs of each target. */
  readonly count: number;
}

const runsOf = async (ci: Ci, target: DeployTarget, count: number): Promise<readonly CiRun[]> => {
  const runs = await ci.listRuns({ target, count });
  if (runs.kind === 'done') return runs.value.runs;
  const isRefused = runs.kind === 'refused' && !isUnavailable(runs);
  const reason = runs.kind === 'refused' ? runs.message : runs.reason;
  throw new AppError(isRefused ? 'CI_REFUSED' : 'CI_UNAVAILABLE', {
    details: { target, workflow: ci.workflowOf(target) },
    cause: new Error(reason),
  });
};

/**
 * Returns the newest `count` runs of each target, newest first.
 * @throws AppError CI_NOT_CONFIGURED, CI_UNAVAILABLE, CI_REFUSED
 */
export const listRuns = async (
  configured: Ci | undefined,
  { target, count }: RunsQuery,
): Promise<readonly CiRun[]> => {
  const ci = requireCi(configured);
  const targets = target === undefined ? deployTargets : [target];
  const runs = await Promise.all(targets.map((oneTarget) => runsOf(ci, oneTarget, count)));
  return runs.flat().toSorted((one, other) => msBetween(one.createdAt, other.createdAt));
};
