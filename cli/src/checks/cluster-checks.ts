import { mergeReferences } from '../clients/kube-objects.ts';
import type { KubeClient, KubeDeployment, KubePod, KubeReference } from '../clients/kube.ts';
import { unknownBecause, type Check, type CheckStatus, type Finding } from './check.types.ts';
import { itemsOf, type Release } from './installation.ts';
import { processNames } from './probe-processes.ts';

type Verdict = readonly [CheckStatus, string];

const finding = (title: string, [status, detail]: Verdict): Finding => ({ title, status, detail });

const componentOf = ({ labels }: KubeDeployment | KubePod): string =>
  labels['app.kubernetes.io/component'] ?? '';

const deploymentVerdict = (deployment: KubeDeployment): Verdict => {
  const { wantedReplicas: wanted, availableReplicas: available, trouble } = deployment;
  if (!deployment.isObserved) {
    return ['failed', 'The cluster has not processed its latest change yet.'];
  }
  if (wanted === 0) return ['warning', 'It is scaled to zero.'];
  const reason = trouble === undefined ? '' : ` ${trouble}`;
  if (available < wanted) {
    return ['failed', `${available} of ${wanted} replicas are available.${reason}`];
  }
  const updated = deployment.updatedReplicas;
  if (updated < wanted) {
    return ['failed', `${updated} of ${wanted} replicas run the latest version.${reason}`];
  }
  return ['ok', `${available} of ${wanted} replicas are available.`];
};

const deploymentFindings = (deployments: readonly KubeDeployment[]): Finding[] =>
  processNames.flatMap((process): Finding[] => {
    const own = deployments.filter((deployment) => componentOf(deployment) === process);
    if (own.length === 0) {
      return [
        {
          title: `a deployment of ${process} is available`,
          status: 'failed',
          detail: 'There is none in the namespace.',
          hint: 'Install the chart, or name the namespace of the release with --namespace.',
        },
      ];
    }
    return own.map((deployment) =>
      finding(`deployment ${deployment.name} is available`, deploymentVerdict(deployment)),
    );
  });

const troubleOf = (pod: KubePod): string => `${pod.name}: ${pod.trouble ?? pod.phase}`;

const servingPods = (pods: readonly KubePod[]): Verdict => {
  const unready = pods.filter(({ isReady }) => !isReady);
  const count = `${pods.length - unready.length} of ${pods.length} are ready.`;
  if (pods.length === 0) return ['failed', 'There are none.'];
  if (unready.length === 0) return ['ok', count];
  return ['failed', `${count} ${unready.map(troubleOf).join('; ')}`];
};

/** Returns the verdict of the newest pod, since a failed job is retried with a new pod. */
const migrationPods = (pods: readonly KubePod[]): Verdict => {
  const [newest] = pods.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  if (newest === undefined) return ['not-run', 'The cluster has kept no pod of the migration job.'];
  if (newest.phase === 'Succeeded') return ['ok', `${newest.name} has succeeded.`];
  const verb = newest.phase === 'Failed' ? 'has failed' : 'has not ended';
  return ['failed', `${newest.name} ${verb}: ${newest.trouble ?? newest.phase}`];
};

const podFindings = (pods: readonly KubePod[]): Finding[] => {
  const staying = pods.filter(({ isTerminating }) => !isTerminating);
  const podsOf = (component: string) => staying.filter((pod) => componentOf(pod) === component);
  return [
    ...processNames.map((process) =>
      finding(`the pods of ${process} are ready`, servingPods(podsOf(process))),
    ),
    finding('the newest migration pod has succeeded', migrationPods(podsOf('migrate'))),
  ];
};

const nouns: Readonly<Record<KubeReference['kind'], string>> = {
  ConfigMap: 'config map',
  Secret: 'secret',
};

const find = (client: KubeClient, { kind, name }: KubeReference) =>
  kind === 'Secret' ? client.findSecret(name) : client.findConfigMap(name);

const referenceFinding = async (client: KubeClient, reference: KubeReference): Promise<Finding> => {
  const subject = `${nouns[reference.kind]} ${reference.name}`;
  const title = `${subject} exists`;
  try {
    const found = await find(client, reference);
    if (found !== undefined) return { title, status: 'ok', detail: 'It exists.' };
    return reference.isOptional
      ? {
          title: `${subject} is optional and left out`,
          status: 'ok',
          detail: 'It does not exist, and pods start without it.',
        }
      : { title, status: 'failed', detail: 'Pods need it, and it does not exist.' };
  } catch (error) {
    return unknownBecause(error, title);
  }
};

/**
 * Checks that the objects exist to which the pods' templates refer. Each is requested by its name and
 * without its content, so that goldctl needs only narrow rights.
 */
const referenceFindings = (
  { client, deployments, pods }: Release,
  kind: KubeReference['kind'],
): Promise<Finding[]> => {
  const templates = [...itemsOf(deployments), ...('error' in pods ? [] : pods.items)];
  const wanted = mergeReferences(templates.flatMap(({ references }) => references));
  return Promise.all(
    wanted
      .filter((reference) => reference.kind === kind)
      .map((reference) => referenceFinding(client, reference)),
  );
};

/** Runs a check only if there is a release. A local stack has none. */
const ofRelease =
  (run: (release: Release) => Finding[] | Promise<Finding[]>): Check['run'] =>
  async ({ release }) =>
    release === undefined ? [] : run(release);

/** Checks of a release's objects in the cluster. */
export const clusterChecks: readonly Check[] = [
  {
    id: 'deployment-available',
    category: 'deployments',
    title: 'the deployment is available',
    hint: '"kubectl rollout status" and "kubectl describe" of the deployment show the cause.',
    run: ofRelease(({ deployments }) => deploymentFindings(itemsOf(deployments))),
  },
  {
    id: 'pods-ready',
    category: 'pods',
    title: 'the pods are ready',
    hint: '"kubectl describe" and "kubectl logs" of the pod show the cause.',
    run: ofRelease(({ pods }) => podFindings(itemsOf(pods))),
  },
  {
    id: 'config-map-exists',
    category: 'config-maps',
    title: 'the config map exists',
    hint: 'Create it, or correct its name in the values of the chart.',
    run: ofRelease((release) => referenceFindings(release, 'ConfigMap')),
  },
  {
    id: 'secret-exists',
    category: 'secrets',
    title: 'the secret exists',
    hint: 'Create it, or correct its name in the values of the chart.',
    run: ofRelease((release) => referenceFindings(release, 'Secret')),
  },
];
