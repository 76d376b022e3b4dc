import {
  BatchV1Api,
  V1Container,
  V1PodSpec,
  type Configuration,
  type V1Job,
} from '@kubernetes/client-node';
import { CliError, exitCodes } from '../cli-error.ts';
import type { KubeCall } from './kube-call.ts';
import type { KubeClient, KubeJob } from './kube.types.ts';

const stateOf = ({ status }: V1Job): KubeJob['state'] => {
  if ((status?.succeeded ?? 0) > 0) return 'succeeded';
  const failed = (status?.conditions ?? []).some(
    (condition) => condition.type === 'Failed' && condition.status === 'True',
  );
  return failed ? 'failed' : 'running';
};

const createdAt = ({ metadata }: V1Job): number => metadata?.creationTimestamp?.getTime() ?? 0;

/** The time in s after which the cluster deletes a finished job. */
const secondsKept = 600;

/** Returns a job that runs once like the given job, with other arguments for its first container. */
const jobLike = (job: V1Job, args: readonly string[]): V1Job => {
  const template = job.spec?.template;
  const [first, ...others] = template?.spec?.containers ?? [];
  if (template?.spec === undefined || first === undefined) {
    throw new CliError('the migration job has no container', exitCodes.failed);
  }
  const labels = { ...template.metadata?.labels };
  // The controller's labels belong to the pods of the given job.
  for (const name of Object.keys(labels)) {
    if (name.includes('controller-uid') || name.includes('job-name')) delete labels[name];
  }
  const containers = [Object.assign(new V1Container(), first, { args: [...args] }), ...others];
  return {
    metadata: { generateName: `${job.metadata?.name ?? 'migrate'}-`.slice(0, 50), labels },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: secondsKept,
      template: {
        metadata: { labels, annotations: template.metadata?.annotations ?? {} },
        spec: Object.assign(new V1PodSpec(), template.spec, { containers }),
      },
    },
  };
};

/** Creates the calls that repeat a job of a release with other arguments. */
export const createJobCalls = (options: {
  readonly configuration: Configuration;
  readonly namespace: string;
  readonly call: KubeCall;
}): Pick<KubeClient, 'startJobLike' | 'findJob' | 'removeJob'> => {
  const { configuration, namespace, call } = options;
  const api = new BatchV1Api(configuration);
  return {
    startJobLike: async (labelSelector, args) => {
      const { items } = await call(`list jobs in namespace ${namespace}`, () =>
        api.listNamespacedJob({ namespace, labelSelector }),
      );
      const [newest] = items.toSorted((a, b) => createdAt(b) - createdAt(a));
      if (newest === undefined) {
        throw new CliError(
          `there is no migration job in namespace ${namespace} to repeat`,
          exitCodes.failed,
          'The chart makes one at every upgrade: install the release once more.',
        );
      }
      const body = jobLike(newest, args);
      const created = await call(`create a job in namespace ${namespace}`, () =>
        api.createNamespacedJob({ namespace, body }),
      );
      return created.metadata?.name ?? '';
    },
    findJob: async (name) => {
      const job = await call(`read job ${name} in namespace ${namespace}`, () =>
        api.readNamespacedJob({ name, namespace }),
      );
      return { name, state: stateOf(job) };
    },
    removeJob: async (name) => {
      await call(`remove job ${name} in namespace ${namespace}`, () =>
        api.deleteNamespacedJob({ name, namespace, propagationPolicy: 'Background' }),
      );
    },
  };
};
