import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { createKubeClient, findReadyPod } from '../clients/kube.ts';
import { exitCodes } from '../io/exit-codes.ts';
import type { KubeContext } from './context.ts';

/** The container port of an API. */
const apiPort = 'http';

/**
 * Leads a port of this machine to the API of a ready admin pod. The key names context and
 * namespace, so that a kept sign-in is found through the next tunnel too.
 * @throws CliError unreachable, denied
 */
export const openAdminTunnel = async (
  deps: CliDeps,
  context: KubeContext,
): Promise<{ baseUrl: string; key: string; close(): Promise<void> }> => {
  const client = await createKubeClient(deps, context);
  const pod = await findReadyPod(client, 'admin');
  const port = pod.ports[apiPort];
  if (port === undefined) {
    throw new CliError(`pod ${pod.name} has no port named "${apiPort}"`, exitCodes.failed);
  }
  const tunnel = await client.portForward(pod.name, port);
  return {
    baseUrl: `http://127.0.0.1:${tunnel.port}`,
    key: `kube:${client.description}/${client.namespace}`,
    close: () => tunnel.close(),
  };
};
