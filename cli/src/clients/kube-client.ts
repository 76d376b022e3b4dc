import type { CliDeps } from '../cli-deps.ts';
import type { KubeContext } from '../contexts/context.ts';
import { createKubeApis } from './kube-apis.ts';
import { createKubeCall } from './kube-call.ts';
import { loadKubeConfig } from './kube-config.ts';
import { createConfigMapCalls } from './kube-config-maps.ts';
import { createExec } from './kube-exec.ts';
import { createListCalls } from './kube-lists.ts';
import { createPortForward } from './kube-port-forward.ts';
import { createStreamOpener } from './kube-streams.ts';
import type { KubeClient } from './kube.types.ts';

/** Puts the client of one namespace together. @throws CliError usage (kube-config). */
export const openKubeClient = (
  deps: Pick<CliDeps, 'env' | 'signal'>,
  context: Omit<KubeContext, 'kind'>,
): KubeClient => {
  const { config, namespace, description, server } = loadKubeConfig(deps.env, context);
  const call = createKubeCall({ server, signal: deps.signal });
  const apis = createKubeApis(config, deps.signal);
  const open = createStreamOpener({ config, call });
  return {
    namespace,
    description,
    ...createListCalls({ apis, namespace, call }),
    ...createConfigMapCalls({ apis, namespace, call }),
    execInPod: createExec({ open, namespace, signal: deps.signal }),
    portForward: createPortForward({ open, namespace }),
  };
};
