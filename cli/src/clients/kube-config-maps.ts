import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../io/exit-codes.ts';
import type { KubeApis } from './kube-apis.ts';
import { KubeRefusal, type KubeCall } from './kube-call.ts';
import { toObject } from './kube-objects.ts';
import type { KubeClient, KubeConfigMap } from './kube.types.ts';

/** How often somebody else may be quicker before it is given up. */
const mostAttempts = 8;

const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

const isConflict = (error: unknown): boolean =>
  error instanceof KubeRefusal && error.status === 409;

/** Reads a config map and sets single keys of it. */
export const createConfigMapCalls = (options: {
  readonly apis: KubeApis;
  readonly namespace: string;
  readonly call: KubeCall;
}): Pick<KubeClient, 'readConfigMap' | 'patchConfigMapValue'> => {
  const { apis, namespace, call } = options;

  const readConfigMap = (name: string): Promise<KubeConfigMap> =>
    call(`read config map ${name} in namespace ${namespace}`, async () => {
      const found = await apis.core.readNamespacedConfigMap({ name, namespace });
      const resourceVersion = found.metadata?.resourceVersion ?? '';
      return { ...toObject(found), data: found.data ?? {}, resourceVersion };
    });

  const patch = (read: KubeConfigMap, key: string, value: string): Promise<unknown> => {
    // With the version that was read: the cluster refuses it when the map has changed since.
    const body = { metadata: { resourceVersion: read.resourceVersion }, data: { [key]: value } };
    return call(`change config map ${read.name} in namespace ${namespace}`, () =>
      apis.core.patchNamespacedConfigMap({ name: read.name, namespace, body }, asMergePatch),
    );
  };

  return {
    readConfigMap,
    patchConfigMapValue: async (name, key, value) => {
      for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
        const read = await readConfigMap(name);
        if (read.data[key] === value) return value;
        try {
          await patch(read, key, value);
          return read.data[key];
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
      throw new CliError(
        `config map ${name} changed ${mostAttempts} times while it was being changed`,
        exitCodes.failed,
        'Somebody else keeps writing it; nothing was changed. Try again.',
      );
    },
  };
};
