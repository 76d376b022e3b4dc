import {
  AppsV1Api,
  CoreV1Api,
  createConfiguration,
  ServerConfiguration,
  setHeaderOptions,
  type KubeConfig,
  type Middleware,
} from '@kubernetes/client-node';
import { callTimeoutMs } from './kube-call.ts';

/** The library sets no time limit of its own. */
const timeLimit = (signal: AbortSignal): Middleware => ({
  pre: async (request) => {
    request.setSignal(AbortSignal.any([AbortSignal.timeout(callTimeoutMs), signal]));
    return request;
  },
  post: async (response) => response,
});

export interface KubeApis {
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
}

/** The library's clients of the config's cluster, each call limited in time. */
export const createKubeApis = (config: KubeConfig, signal: AbortSignal): KubeApis => {
  const server = config.getCurrentCluster()?.server ?? '';
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [timeLimit(signal)],
  });
  return { core: new CoreV1Api(configuration), apps: new AppsV1Api(configuration) };
};

/** Asks for metadata instead of content: what is not sent can't be shown by mistake. */
export const metadataOnly = setHeaderOptions(
  'Accept',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
);

/** The same of a list. */
export const metadataListOnly = setHeaderOptions(
  'Accept',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
);
