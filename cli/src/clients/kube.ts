import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { KubeContext } from '../contexts/context.ts';
import type { KubeClient, KubePod } from './kube.types.ts';

export type { KubeClient, KubeDeployment, KubePod, KubeReference } from './kube.types.ts';

/** Selects all objects of the service in a cluster. */
export const releaseSelector = 'app.kubernetes.io/part-of=digital-gold';

/** Returns the label selector of one or more components of the service. */
export const componentSelector = (...components: readonly string[]): string =>
  `${releaseSelector},app.kubernetes.io/component in (${components.join(',')})`;

/**
 * Creates a client of a namespace of a cluster, without sending a request. It loads the library of
 * Kubernetes, so that commands without a cluster start fast.
 * @throws CliError usage if there is no such context, or no service account in the pod
 */
export const createKubeClient = async (
  deps: Pick<CliDeps, 'env' | 'signal'>,
  context: Omit<KubeContext, 'kind'>,
): Promise<KubeClient> => {
  const { openKubeClient } = await import('./kube-client.ts');
  return openKubeClient(deps, context);
};

const isUsable = (pod: KubePod): boolean => pod.isReady && !pod.isTerminating;

/**
 * Returns the newest ready pod of a component.
 * @throws CliError unreachable if there is none
 */
export const findReadyPod = async (client: KubeClient, component: string): Promise<KubePod> => {
  const pods = await client.listPods(componentSelector(component));
  const [newest] = pods
    .filter(isUsable)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  if (newest !== undefined) return newest;
  throw new CliError(
    `no ${component} pod is ready in namespace ${client.namespace} (${pods.length} found)`,
    exitCodes.unreachable,
    '"goldctl check" says what is wrong; --namespace names another namespace.',
  );
};
