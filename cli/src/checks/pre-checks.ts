import { CliError } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import type { KubeClient } from '../clients/kube.ts';
import { count } from '../io/count.ts';
import { migrationStatus } from '../look-ups/look-up-forms.ts';
import type { Check, Finding } from './check.types.ts';
import type { Installation } from './installation.ts';
import { itemsOf } from './installation.ts';

/** The minor version of the oldest Kubernetes that the chart supports. */
const oldestMinor = 29;

const judgeVersion = (version: string): Finding => {
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/u.exec(version) ?? [];
  const isNewEnough = Number(major) > 1 || Number(minor) >= oldestMinor;
  const detail = `The cluster is ${version}.`;
  return { status: isNewEnough ? 'ok' : 'failed', detail };
};

/** The kinds of objects that the chart creates, by API group. */
const createdKinds: readonly (readonly [group: string, resource: string])[] = [
  ['apps', 'deployments'],
  ['batch', 'jobs'],
  ['', 'services'],
  ['', 'serviceaccounts'],
  ['', 'configmaps'],
  ['', 'secrets'],
  ['networking.k8s.io', 'networkpolicies'],
  ['networking.k8s.io', 'ingresses'],
  ['policy', 'poddisruptionbudgets'],
  ['autoscaling', 'horizontalpodautoscalers'],
];

const rightsFinding = async (client: KubeClient): Promise<Finding> => {
  const rights = await Promise.all(
    createdKinds.map(async ([group, resource]) => ({
      resource,
      may: await client.mayI({ verb: 'create', group, resource }),
    })),
  );
  const lacking = rights.filter(({ may }) => !may).map(({ resource }) => resource);
  return lacking.length === 0
    ? { status: 'ok', detail: `You may create all ${createdKinds.length} kinds.` }
    : { status: 'failed', detail: `You may not create ${lacking.join(', ')}.` };
};

const namespaceFinding = async (client: KubeClient): Promise<Finding> =>
  (await client.hasNamespace())
    ? { status: 'ok', detail: `Namespace ${client.namespace} exists.` }
    : {
        status: 'warning',
        detail: `Namespace ${client.namespace} does not exist. Helm creates it with --create-namespace.`,
      };

/** Checks that no migration failed, since an upgrade would stop at it. */
const migrationsFinding = async ({ deps, context, release }: Installation): Promise<Finding> => {
  if (release === undefined || itemsOf(release.deployments).length === 0) {
    return { status: 'ok', detail: 'There is no release yet: nothing was migrated.' };
  }
  try {
    const request = { args: ['migrate', 'status'], answer: migrationStatus };
    const { failed } = await runBackendCommand(deps, context, request);
    const [first] = failed;
    if (first === undefined) return { status: 'ok', detail: 'None failed.' };
    return {
      status: 'failed',
      detail: `${count(failed.length, 'migration')} failed: ${first.name}: ${first.reason ?? 'cut off'}.`,
    };
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof CliError)) throw error;
    return { status: 'not-run', detail: `The release can't report it: ${error.message}` };
  }
};

/** Creates the run of a check that queries the cluster. Without the right to it, it is not run. */
const ofCluster =
  (
    queryCluster: (client: KubeClient, installation: Installation) => Promise<Finding>,
  ): Check['run'] =>
  async (installation) => {
    const { release, deps } = installation;
    if (release === undefined) return [];
    try {
      return [await queryCluster(release.client, installation)];
    } catch (error) {
      deps.signal.throwIfAborted();
      if (!(error instanceof CliError) || !('status' in error) || error.status !== 403) throw error;
      return [{ status: 'not-run', detail: error.message }];
    }
  };

const connectionsFinding = async ({ database, release }: Installation): Promise<Finding> => {
  if (release === undefined || itemsOf(release.deployments).length === 0) {
    return { status: 'not-run', detail: 'There is no release yet that could ask the database.' };
  }
  const report = await database();
  if (report.kind !== 'received') return { status: 'not-run', detail: report.detail };
  const { connections, maxConnections, readOnly } = report.status;
  if (readOnly) return { status: 'failed', detail: 'The database is read-only.' };
  // An upgrade starts new replicas while the old replicas still run.
  const free = maxConnections - connections;
  const detail = `${connections} of ${maxConnections} connections are in use.`;
  return { status: free >= connections / 2 ? 'ok' : 'warning', detail };
};

/** Checks before an installation or an upgrade. Only `--pre` runs them. */
export const preChecks: readonly Check[] = [
  {
    id: 'cluster-version',
    category: 'before',
    title: 'the cluster is new enough',
    hint: `The chart needs Kubernetes 1.${oldestMinor} or newer.`,
    run: ofCluster(async (client) => judgeVersion(await client.serverVersion())),
  },
  {
    id: 'namespace-there',
    category: 'before',
    title: 'the namespace is there',
    hint: 'Create it, or name another one with --namespace.',
    run: ofCluster(namespaceFinding),
  },
  {
    id: 'rights-to-install',
    category: 'before',
    title: 'you may create the chart’s objects',
    hint: 'Ask for these rights in the namespace: "goldctl help checks rights-to-install".',
    run: ofCluster(rightsFinding),
  },
  {
    id: 'no-failed-migration',
    category: 'before',
    title: 'no migration failed',
    hint: '"goldctl help runbook failed-migration" says what to do.',
    run: async (installation) => [await migrationsFinding(installation)],
  },
  {
    id: 'room-for-upgrade',
    category: 'before',
    title: 'the database has room for an upgrade',
    hint: 'Lower DATABASE_POOL_SIZE or the replicas, or raise max_connections.',
    run: async (installation) => [await connectionsFinding(installation)],
  },
];
