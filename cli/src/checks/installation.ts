import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import {
  componentSelector,
  createKubeClient,
  type KubeClient,
  type KubeDeployment,
  type KubePod,
} from '../clients/kube.ts';
import {
  resolveContext,
  type Context,
  type KubeContext,
  type LocalContext,
} from '../contexts/context.ts';
import { readEndpoints } from '../contexts/local-stack.ts';
import type { GlobalOptions } from '../global-options.ts';
import { fetchAdminReport, type AdminReport } from './admin-report.ts';
import { fetchDatabase, type DatabaseReport } from './database-report.ts';
import { fetchOperations, type OperationsReport } from './operations-report.ts';
import {
  probeAddress,
  probeRelease,
  processNames,
  type ProcessName,
  type ProcessProbe,
} from './probe-processes.ts';
import { readMetrics, readWorkerMetrics, type WorkerMetrics } from './worker-metrics.ts';

/** An API's public health route. */
interface HealthRoute {
  readonly process: string;
  readonly url: URL;
}

/** The listed objects, or the reason why the operator may not list them. */
type Listed<T> = { readonly items: readonly T[] } | { readonly error: CliError };

/** The parts of an installation that only a cluster has. */
export interface Release {
  readonly client: KubeClient;
  readonly deployments: Listed<KubeDeployment>;
  readonly pods: Listed<KubePod>;
}

/** The subject of the checks: a stack on this machine, or a release in a cluster. */
export interface Installation {
  readonly deps: CliDeps;
  readonly context: Context;
  /** Names the installation in messages to the operator. */
  readonly description: string;
  readonly healthRoutes: readonly HealthRoute[];
  /** Undefined for a local stack. */
  readonly release: Release | undefined;
  /** Probes each process. The processes are probed only once for all checks. */
  readonly probes: () => Promise<readonly ProcessProbe[]>;
  /** Returns the admin API's readiness report, which is requested only once. */
  readonly report: () => Promise<AdminReport>;
  /** Returns the work that waits for an operator, which is requested only once. */
  readonly operations: () => Promise<OperationsReport>;
  /** The address of the admin API, if the operator gave it. */
  readonly adminUrl: string | undefined;
  /** Returns the state of the database, which is queried only once. */
  readonly database: () => Promise<DatabaseReport>;
  /** Returns the metrics of a worker, which are read only once. */
  readonly workerMetrics: () => Promise<WorkerMetrics>;
}

/**
 * Returns the listed objects.
 * @throws CliError if the operator may not list them
 */
export const itemsOf = <T>(listed: Listed<T>): readonly T[] => {
  if ('error' in listed) throw listed.error;
  return listed.items;
};

const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let started: Promise<T> | undefined;
  return () => (started ??= work());
};

/**
 * Returns true if the operator may not list this kind of object. The checks of other kinds then still
 * run, while any other error stops the command.
 */
const isForbidden = (error: unknown): error is CliError =>
  error instanceof CliError && 'status' in error && error.status === 403;

const toListed = async <T>(work: Promise<readonly T[]>): Promise<Listed<T>> => {
  try {
    return { items: await work };
  } catch (error) {
    if (isForbidden(error)) return { error };
    throw error;
  }
};

const openRelease = async (
  deps: CliDeps,
  context: KubeContext,
  options: GlobalOptions,
): Promise<Installation> => {
  const client = await createKubeClient(deps, context);
  const [deployments, pods] = await Promise.all([
    toListed(client.listDeployments(componentSelector(...processNames))),
    toListed(client.listPods(componentSelector(...processNames, 'migrate'))),
  ]);
  const { adminUrl } = options;
  return {
    deps,
    context,
    description: `namespace ${client.namespace} (${client.description})`,
    healthRoutes:
      adminUrl === undefined ? [] : [{ process: 'admin', url: new URL('/v1/health', adminUrl) }],
    release: { client, deployments, pods },
    probes: once(() =>
      probeRelease({
        client,
        pods: 'error' in pods ? [] : pods.items,
        signal: deps.signal,
        adminUrl,
        mayForward: !context.inCluster,
      }),
    ),
    report: once(() => fetchAdminReport(deps, options)),
    operations: once(() => fetchOperations(deps, options)),
    adminUrl,
    database: once(() => fetchDatabase(deps, context)),
    workerMetrics: once(async () =>
      context.inCluster ? undefined : readWorkerMetrics(deps, client),
    ),
  };
};

const openStack = async (
  deps: CliDeps,
  context: LocalContext,
  options: GlobalOptions,
): Promise<Installation> => {
  const { customer, admin, accounting, internal } = readEndpoints(context);
  const probe = async (process: ProcessName): Promise<ProcessProbe> => {
    const address = internal[process];
    if (address !== undefined) return probeAddress(process, address, deps.signal);
    return { process, state: 'silent', needs: {}, detail: 'The stack does not list its port.' };
  };
  const probes = await Promise.all(processNames.map(probe));
  if (probes.every(({ state }) => state === 'silent')) {
    throw new CliError(
      `no process of the stack in ${context.home} responds`,
      exitCodes.unreachable,
      '"make up" starts it.',
    );
  }
  return {
    deps,
    context,
    description: `the stack in ${context.home}`,
    healthRoutes: [
      { process: 'customer', url: new URL('/v1/health', customer) },
      { process: 'admin', url: new URL('/v1/health', options.adminUrl ?? admin) },
      { process: 'accounting', url: new URL('/api/v1/accounting/health', accounting) },
    ],
    release: undefined,
    probes: async () => probes,
    report: once(() => fetchAdminReport(deps, options)),
    operations: once(() => fetchOperations(deps, options)),
    adminUrl: options.adminUrl,
    database: once(() => fetchDatabase(deps, context)),
    workerMetrics: once(() => readMetrics(deps, internal['worker'])),
  };
};

/**
 * Finds the installation to check and makes sure that it responds.
 * @throws CliError `unreachable` if it does not respond, `denied` if the cluster does not accept
 *   the operator, `usage` if the context does not exist.
 */
export const openInstallation = (deps: CliDeps, options: GlobalOptions): Promise<Installation> => {
  const context = resolveContext(deps, options);
  if (context.kind === 'local') return openStack(deps, context, options);
  const release: KubeContext =
    context.kind === 'kube'
      ? context
      : { kind: 'kube', context: undefined, namespace: options.namespace, inCluster: true };
  return openRelease(deps, release, options);
};
