import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { CliError, exitCodes } from '../cli-error.ts';
import { kubeConfigFiles, type KubeContext } from '../contexts/context.ts';
import { proxyFor } from './proxy.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface LoadedKubeConfig {
  readonly config: KubeConfig;
  readonly namespace: string;
  readonly description: string;
  /** The API server's address. */
  readonly server: string;
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

const usage = (message: string, hint: string): CliError =>
  new CliError(message, exitCodes.usage, hint);

const isNew =
  (known: readonly { readonly name: string }[]) =>
  ({ name }: { readonly name: string }): boolean =>
    !known.some((entry) => entry.name === name);

/**
 * Merges kubeconfigs as kubectl does. If several files define the same name, the first one is used.
 * Missing files are skipped.
 */
const readFiles = (paths: readonly string[]): KubeConfig => {
  const merged = new KubeConfig();
  for (const path of paths.filter((path) => existsSync(path))) {
    const loaded = new KubeConfig();
    try {
      loaded.loadFromFile(path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw usage(`${path} is not a kubeconfig: ${reason}`, 'KUBECONFIG names the file to read.');
    }
    merged.clusters = [...merged.clusters, ...loaded.clusters.filter(isNew(merged.clusters))];
    merged.users = [...merged.users, ...loaded.users.filter(isNew(merged.users))];
    merged.contexts = [...merged.contexts, ...loaded.contexts.filter(isNew(merged.contexts))];
  }
  return merged;
};

const fromFiles = (env: Environment, name: string, namespace: string | undefined) => {
  const files = kubeConfigFiles(env);
  const config = readFiles(files);
  const context = config.getContextObject(name);
  if (context === null) {
    const names = config.contexts.map((known) => known.name).join(', ');
    throw usage(
      `there is no context "${name}" in ${files.join(', ')}`,
      names === '' ? 'The kubeconfig has no contexts.' : `Available contexts: ${names}.`,
    );
  }
  config.setCurrentContext(name);
  return { config, namespace: namespace ?? context.namespace ?? 'default', description: name };
};

/** Returns the contexts of the kubeconfig, each with its default namespace if it has one. */
export const listKubeContexts = (
  env: Environment,
): readonly { readonly name: string; readonly namespace?: string }[] =>
  readFiles(kubeConfigFiles(env)).contexts.map(({ name, namespace }) => ({
    name,
    ...(namespace !== undefined && { namespace }),
  }));

/** Reads the service account files that Kubernetes mounts into a pod. */
const fromPod = (env: Environment, namespace: string | undefined, folder: string) => {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  const tokenFile = join(folder, 'token');
  if (host === '' || port === '' || !existsSync(tokenFile)) {
    throw usage(
      'not running in a pod with a service account',
      '--in-cluster is for pods; name a context of the kubeconfig with --context elsewhere.',
    );
  }
  const name = 'in-cluster';
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name,
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      caFile: join(folder, 'ca.crt'),
      skipTLSVerify: false,
    },
    // The token is read from its file, because the cluster renews it while the pod runs.
    { name, authProvider: { name: 'tokenFile', config: { tokenFile } } },
  );
  const namespaceFile = join(folder, 'namespace');
  const own = existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : 'default';
  return { config, namespace: namespace ?? own, description: 'the pod’s service account' };
};

/**
 * Loads the cluster access of a kubeconfig context or of the pod's service account.
 * @throws CliError `usage` if the context, its cluster or the service account is missing, or if a
 *   file is not a kubeconfig.
 */
export const loadKubeConfig = (
  env: Environment,
  options: Omit<KubeContext, 'kind'>,
  podFolder = serviceAccountFolder,
): LoadedKubeConfig => {
  const { context, namespace, inCluster } = options;
  const loaded = inCluster
    ? fromPod(env, namespace, podFolder)
    : fromFiles(env, context ?? '', namespace);
  const cluster = loaded.config.getCurrentCluster();
  if (cluster === null) {
    throw usage(
      `context "${loaded.description}" names a cluster that is not in the kubeconfig`,
      'KUBECONFIG may name several files.',
    );
  }
  const proxy = proxyFor(env, cluster.server);
  if (proxy === undefined || cluster.proxyUrl !== undefined) {
    return { ...loaded, server: cluster.server };
  }
  // As with kubectl, the environment's proxy is used unless the kubeconfig names a proxy.
  loaded.config.clusters = loaded.config.clusters.map((known) =>
    known === cluster ? { ...known, proxyUrl: proxy } : known,
  );
  return { ...loaded, server: cluster.server };
};
