import { deployTargets, type Ci, type CiRun, type DeployTarget } from '../../adapters/ci/port.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { requireCi } from './require-ci.ts';

export interface RunsAsked {
  /** All targets unless one is named. */
  readonly target?: DeployTarget | undefined;
  /** For each target. */
  readonly count: number;
}

const runsOf = async (ci: Ci, target: DeployTarget, count: number): Promise<readonly CiRun[]> => {
  const runs = await ci.listRuns({ target, count });
  if (runs.kind === 'done') return runs.value;
  const isRefused = runs.kind === 'refused' && !isUnavailable(runs);
  const reason = runs.kind === 'refused' ? runs.message : runs.reason;
  throw new AppError(isRefused ? 'CI_REFUSED' : 'CI_UNAVAILABLE', {
    details: { target, workflow: ci.workflowOf(target) },
    cause: new Error(reason),
  });
};

/**
 * The newest runs, newest first: so many of each target.
 * @throws AppError CI_NOT_CONFIGURED, CI_UNAVAILABLE, CI_REFUSED
 */
export const createListRuns =
  (ci: Ci | undefined) =>
  async ({ target, count }: RunsAsked): Promise<readonly CiRun[]> => {
    const asked = requireCi(ci);
    const targets = target === undefined ? deployTargets : [target];
    const runs = await Promise.all(targets.map((each) => runsOf(asked, each, count)));
    return runs.flat().toSorted((one, other) => msBetween(one.createdAt, other.createdAt));
  };

export type ListCiRuns = ReturnType<typeof createListRuns>;
