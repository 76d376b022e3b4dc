import {
  AppsV1Api,
  CoreV1Api,
  createConfiguration,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
  type Configuration,
  type KubeConfig,
} from '@kubernetes/client-node';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { KubeContext } from '../contexts/context.ts';
import { createKubeCall, KubeRefusal, type KubeCall } from './kube-call.ts';
import { loadKubeConfig } from './kube-config.ts';
import { createExec } from './kube-exec.ts';
import { createJobCalls } from './kube-jobs.ts';
import { createLookCalls } from './kube-look.ts';
import { identifyClient, timeLimit } from './kube-middleware.ts';
import { toDeployment, toObject, toPod } from './kube-objects.ts';
import { createPortForward } from './kube-port-forward.ts';
import { createStreamOpener } from './kube-streams.ts';
import type { KubeClient, KubeConfigMap, KubeObject } from './kube.types.ts';

interface KubeApis {
  readonly configuration: Configuration;
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
}

/** Creates the library's clients of the config's cluster. Every call has a time limit. */
const createKubeApis = (config: KubeConfig, signal: AbortSignal): KubeApis => {
  const server = config.getCurrentCluster()?.server ?? '';
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [identifyClient, timeLimit(signal)],
  });
  const core = new CoreV1Api(configuration);
  return { configuration, core, apps: new AppsV1Api(configuration) };
};

/**
 * Requests metadata instead of content, since content that is not sent can't be shown by mistake.
 */
const metadataOnly = setHeaderOptions(
  'Accept',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
);

/** Requests metadata instead of content for a list. */
const metadataListOnly = setHeaderOptions(
  'Accept',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
);

/** The size of a page. A release has only a few objects of each kind, so one page is usual. */
const pageSize = 500;

interface Page<T> {
  readonly items: readonly T[];
  readonly metadata?: { readonly _continue?: string };
}

type GetPage<T> = (page: { limit: number; _continue?: string }) => Promise<Page<T>>;

const readAllPages = async <T>(getPage: GetPage<T>): Promise<T[]> => {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await getPage({ limit: pageSize, ...(next !== undefined && { _continue: next }) });
    items.push(...page.items);
    ({ _continue: next } = page.metadata ?? {});
  } while (next !== undefined && next !== '');
  return items;
};

const undefinedIfMissing = async (
  find: () => Promise<KubeObject>,
): Promise<KubeObject | undefined> => {
  try {
    return await find();
  } catch (error) {
    if (error instanceof KubeRefusal && error.status === 404) return undefined;
    throw error;
  }
};

type ListCalls = Pick<
  KubeClient,
  'listDeployments' | 'listPods' | 'listConfigMaps' | 'findConfigMap' | 'findSecret'
>;

/** Creates the calls that find objects by label or by name. */
const createListCalls = (options: {
  readonly apis: KubeApis;
  readonly namespace: string;
  readonly call: KubeCall;
}): ListCalls => {
  const { apis, namespace, call } = options;
  const list = <T>(kind: string, getPage: GetPage<T>): Promise<T[]> =>
    call(`list ${kind} in namespace ${namespace}`, () => readAllPages(getPage));
  const find = (kind: string, name: string, read: () => Promise<KubeObject>) =>
    undefinedIfMissing(() => call(`look for ${kind} ${name} in namespace ${namespace}`, read));
  return {
    listDeployments: async (labelSelector) => {
      const found = await list('deployments', (page) =>
        apis.apps.listNamespacedDeployment({ namespace, labelSelector, ...page }),
      );
      return found.map(toDeployment);
    },
    listPods: async (labelSelector) => {
      const found = await list('pods', (page) =>
        apis.core.listNamespacedPod({ namespace, labelSelector, ...page }),
      );
      return found.map(toPod);
    },
    listConfigMaps: async (labelSelector) => {
      const found = await list('config maps', (page) =>
        apis.core.listNamespacedConfigMap({ namespace, labelSelector, ...page }, metadataListOnly),
      );
      return found.map(toObject);
    },
    findConfigMap: (name) =>
      find('config map', name, async () =>
        toObject(await apis.core.readNamespacedConfigMap({ name, namespace }, metadataOnly)),
      ),
    findSecret: (name) =>
      find('secret', name, async () =>
        toObject(await apis.core.readNamespacedSecret({ name, namespace }, metadataOnly)),
      ),
  };
};

/** The number of conflicts with other writers after which a change fails. */
const maxAttempts = 8;

const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

type Annotations = Readonly<Record<string, string>>;

const isConflict = (error: unknown): boolean =>
  error instanceof KubeRefusal && error.status === 409;

/**
 * Creates the calls that read a config map, set single keys of it, and record the change as an
 * event.
 */
const createConfigMapCalls = (options: {
  readonly apis: KubeApis;
  readonly namespace: string;
  readonly call: KubeCall;
}): Pick<KubeClient, 'readConfigMap' | 'patchConfigMapValue' | 'annotatePod' | 'createEvent'> => {
  const { apis, namespace, call } = options;

  const readConfigMap = (name: string): Promise<KubeConfigMap> =>
    call(`read config map ${name} in namespace ${namespace}`, async () => {
      const found = await apis.core.readNamespacedConfigMap({ name, namespace });
      const resourceVersion = found.metadata?.resourceVersion ?? '';
      return { ...toObject(found), data: found.data ?? {}, resourceVersion };
    });

  const patch = (
    read: KubeConfigMap,
    data: Readonly<Record<string, string>>,
    annotations: Annotations,
  ): Promise<unknown> => {
    // With the version, the cluster refuses to change a map that has changed since the read.
    const { resourceVersion } = read;
    const body = { metadata: { resourceVersion, annotations }, data };
    return call(`change config map ${read.name} in namespace ${namespace}`, () =>
      apis.core.patchNamespacedConfigMap({ name: read.name, namespace, body }, asMergePatch),
    );
  };

  return {
    readConfigMap,
    patchConfigMapValue: async (name, key, value, annotations = {}) => {
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const read = await readConfigMap(name);
        if (read.data[key] === value && Object.keys(annotations).length === 0) return value;
        try {
          await patch(read, { [key]: value }, annotations);
          return read.data[key];
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
      throw new CliError(
        `config map ${name} changed ${maxAttempts} times while it was being changed`,
        exitCodes.failed,
        'Another writer keeps changing it; nothing was written. Try again.',
      );
    },
    annotatePod: async (name, annotations) => {
      const body = { metadata: { annotations } };
      await call(`annotate pod ${name} in namespace ${namespace}`, () =>
        apis.core.patchNamespacedPod({ name, namespace, body }, asMergePatch),
      );
    },
    createEvent: async ({ configMap, reason, message, at }) => {
      const body = {
        metadata: { generateName: `${configMap}.`, namespace },
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: configMap, namespace },
        reason,
        message,
        type: 'Normal',
        source: { component: 'goldctl' },
        firstTimestamp: at,
        lastTimestamp: at,
        count: 1,
      };
      await call(`record an event in namespace ${namespace}`, () =>
        apis.core.createNamespacedEvent({ namespace, body }),
      );
    },
  };
};

/**
 * Creates the client of a namespace.
 * @throws CliError usage if there is no such context, or no service account in the pod
 */
export const openKubeClient = (
  deps: Pick<CliDeps, 'env' | 'signal'>,
  context: Omit<KubeContext, 'kind'>,
): KubeClient => {
  const { config, namespace, description, server } = loadKubeConfig(deps.env, context);
  const user = config.getCurrentUser()?.name ?? 'unknown';
  const call = createKubeCall({ server, signal: deps.signal });
  const apis = createKubeApis(config, deps.signal);
  const open = createStreamOpener({ config, call });
  return {
    namespace,
    description,
    server,
    user,
    ...createListCalls({ apis, namespace, call }),
    ...createConfigMapCalls({ apis, namespace, call }),
    ...createLookCalls({ ...apis, namespace, call }),
    ...createJobCalls({ ...apis, namespace, call }),
    execInPod: createExec({ open, namespace, signal: deps.signal }),
    portForward: createPortForward({ open, namespace }),
  };
};
