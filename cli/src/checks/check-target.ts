import type { CliDeps } from '../cli-deps.ts';
import { resolveContext } from '../contexts/resolve-context.ts';
import type { Context } from '../contexts/context.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { ClusterCategory, CheckRecord } from './check.types.ts';
import { openKubeTarget } from './kube-target.ts';
import { openLocalTarget } from './local-target.ts';
import type { ProcessProbe } from './process-probe.ts';

/** An API's public health route. */
export interface HealthRoute {
  readonly process: string;
  readonly url: URL;
}

/** What is checked: a stack on this machine, or a release in a cluster. */
export interface CheckTarget {
  /** For people. */
  readonly description: string;
  readonly context: Context;
  readonly healthRoutes: readonly HealthRoute[];
  /** What each process says, or what is said of it. Asked once, however often it is called. */
  readonly probes: () => Promise<readonly ProcessProbe[]>;
  /** The records of a category that only a cluster has; none of a local stack. */
  readonly clusterRecords: (category: ClusterCategory) => Promise<CheckRecord[]>;
}

/**
 * Finds what is to be checked and makes sure that it answers at all.
 * @throws CliError unreachable when it does not, denied when the cluster does not know the
 * operator, usage for a context that there is not.
 */
export const openCheckTarget = (deps: CliDeps, options: GlobalOptions): Promise<CheckTarget> => {
  const context = resolveContext(deps, options);
  return context.kind === 'local'
    ? openLocalTarget(deps, context, options)
    : openKubeTarget(deps, context, options);
};
