import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { createKubeClient, findReadyPod } from '../clients/kube.ts';
import type { GlobalOptions } from '../global-options.ts';
import { resolveContext, type KubeContext } from './context.ts';
import { readEndpoints, type LocalEndpoints } from './local-stack.ts';

/** The name of an API's container port. */
const apiPort = 'http';

/**
 * Forwards a port of this machine to the API of a ready admin pod. The key of stored sign-ins consists
 * of context, namespace and cluster. A sign-in is therefore found through the next tunnel too, and is
 * never sent to another cluster whose context has the same name.
 * @throws CliError unreachable if no pod is ready, denied if the cluster refuses
 */
const openAdminTunnel = async (
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
    key: `kube:${client.description}/${client.namespace} (${client.server})`,
    close: () => tunnel.close(),
  };
};

/** The address of a context's admin API. */
export interface AdminAddress {
  /** Host root, without a path. */
  readonly baseUrl: string;
  /** The key of stored sign-ins at the API, which does not depend on the port of a tunnel. */
  readonly key: string;
  /** The accounts that a local stack publishes for development. Undefined for other contexts. */
  readonly account: LocalEndpoints['admins'];
  close(): Promise<void>;
}

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Refuses plain HTTP to another machine, since a password or token could be read on the network. */
const refusePlain = ({ protocol, hostname, origin }: URL, options: GlobalOptions): void => {
  const isPrivate = protocol === 'https:' || loopbackHosts.has(hostname);
  // Between pods, plain HTTP is protected by the cluster's network policies.
  if (isPrivate || options.insecure || options.inCluster || options.context === 'pod') return;
  throw new CliError(
    `${origin} is plain http to another machine`,
    exitCodes.usage,
    'Use https, or --insecure where the network between is trusted.',
  );
};

const hostRoot = (options: GlobalOptions, text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol) || url.pathname !== '/') {
    throw new CliError(
      '--admin-url must be the host root of the admin API, such as https://admin.example.com',
      exitCodes.usage,
    );
  }
  refusePlain(url, options);
  return url.origin;
};

/** Returns the address of the API that serves in the same pod. */
const ownApi = ({ env }: CliDeps): string => {
  const port = env['PORT'] ?? '';
  return `http://127.0.0.1:${port === '' ? '4000' : port}`;
};

const nothingToClose = async (): Promise<void> => {};

/**
 * Finds the address of the admin API. It is `--admin-url`, or else depends on the context: the local
 * stack, the pod in which goldctl runs, or a tunnel to a ready pod. The caller must close it.
 * @throws CliError usage for an address that is not valid, unreachable if there is no stack or pod
 */
export const findAdminAddress = async (
  deps: CliDeps,
  options: GlobalOptions,
): Promise<AdminAddress> => {
  if (options.adminUrl !== undefined) {
    const baseUrl = hostRoot(options, options.adminUrl);
    return { baseUrl, key: baseUrl, account: undefined, close: nothingToClose };
  }
  const context = resolveContext(deps, options);
  if (context.kind === 'pod') {
    const baseUrl = ownApi(deps);
    return { baseUrl, key: baseUrl, account: undefined, close: nothingToClose };
  }
  if (context.kind === 'kube')
    return { ...(await openAdminTunnel(deps, context)), account: undefined };
  const { admin, admins } = readEndpoints(context);
  const baseUrl = new URL(admin).origin;
  return { baseUrl, key: baseUrl, account: admins, close: nothingToClose };
};
