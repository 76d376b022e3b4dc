import { isAbsolute, join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import type { GlobalOptions } from '../global-options.ts';

/** A stack on this machine, as `make up` leaves it. */
export interface LocalContext {
  readonly kind: 'local';
  readonly repository: string;
  /** The stack's folder: `.dev`, or what STACK_HOME names. */
  readonly home: string;
}

/** A release in a cluster. */
export interface KubeContext {
  readonly kind: 'kube';
  /** The context of the kubeconfig; undefined inside the cluster. */
  readonly context: string | undefined;
  /** Undefined: the namespace of that context, or of the pod. */
  readonly namespace: string | undefined;
  /** Uses the service account of the pod that goldctl runs in. */
  readonly inCluster: boolean;
}

export type Context = LocalContext | KubeContext;

/** Resolves the options to the stack or release of a command. Reads nothing yet. */
export const resolveContext = (deps: CliDeps, options: GlobalOptions): Context => {
  const { namespace, inCluster } = options;
  if (inCluster) return { kind: 'kube', context: undefined, namespace, inCluster };
  if (options.context !== 'local') {
    return { kind: 'kube', context: options.context, namespace, inCluster };
  }
  const given = deps.env['STACK_HOME'] ?? '';
  const folder = given === '' ? '.dev' : given;
  const home = isAbsolute(folder) ? folder : join(deps.repository, folder);
  return { kind: 'local', repository: deps.repository, home };
};
