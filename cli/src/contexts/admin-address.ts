import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { createKubeClient, findReadyPod } from '../clients/kube.ts';
import type { GlobalOptions } from '../global-options.ts';
import { resolveContext, type KubeContext } from './context.ts';
import { readEndpoints, type LocalEndpoints } from './local-stack.ts';

/** The container port of an API. */
const apiPort = 'http';

/**
 * Leads a port of this machine to the API of a ready admin pod. The key names context, namespace
 * and cluster, so that a kept sign-in is found through the next tunnel too, and is never sent to
 * another cluster whose context has the same name.
 * @throws CliError unreachable, denied
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
  /** Names the API among the stored sign-ins, even if the address is a tunnel's. */
  readonly key: string;
  /** Only a local stack has this. It is the stack's own account, for development. */
  readonly account: LocalEndpoints['admins'];
  close(): Promise<void>;
}

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A password or a token would cross the network for all to read. */
const refusePlain = ({ protocol, hostname, origin }: URL, options: GlobalOptions): void => {
  const isPrivate = protocol === 'https:' || loopbackHosts.has(hostname);
  // Between pods the cluster's network policies decide who may listen.
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
 * Finds the admin API: `--admin-url`, else the local stack's, else that of the admin pod that
 * goldctl runs in, else a tunnel to a ready pod. Close it when done.
 * @throws CliError usage, unreachable.
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
