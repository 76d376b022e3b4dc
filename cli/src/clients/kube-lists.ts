import { metadataListOnly, metadataOnly, type KubeApis } from './kube-apis.ts';
import { KubeRefusal, type KubeCall } from './kube-call.ts';
import { toDeployment, toObject, toPod } from './kube-objects.ts';
import type { KubeClient, KubeObject } from './kube.types.ts';

/** A release has a handful of each kind; the rest of a longer list comes page by page. */
const pageSize = 500;

interface Page<T> {
  readonly items: readonly T[];
  readonly metadata?: { readonly _continue?: string };
}

type Ask<T> = (page: { limit: number; _continue?: string }) => Promise<Page<T>>;

const allPages = async <T>(ask: Ask<T>): Promise<T[]> => {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await ask({ limit: pageSize, ...(next !== undefined && { _continue: next }) });
    items.push(...page.items);
    ({ _continue: next } = page.metadata ?? {});
  } while (next !== undefined && next !== '');
  return items;
};

const findOrNone = async (find: () => Promise<KubeObject>): Promise<KubeObject | undefined> => {
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

/** What is there, by label or by name. */
export const createListCalls = (options: {
  readonly apis: KubeApis;
  readonly namespace: string;
  readonly call: KubeCall;
}): ListCalls => {
  const { apis, namespace, call } = options;
  const list = <T>(kind: string, ask: Ask<T>): Promise<T[]> =>
    call(`list ${kind} in namespace ${namespace}`, () => allPages(ask));
  const find = (kind: string, name: string, ask: () => Promise<KubeObject>) =>
    findOrNone(() => call(`look for ${kind} ${name} in namespace ${namespace}`, ask));
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
