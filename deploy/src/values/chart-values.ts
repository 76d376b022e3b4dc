import type { StackConfig } from '../config/stack-config.ts';
import { processes, type Process } from '../processes.ts';

/**
 * The names of the objects that the program itself creates, because they must outlive the chart's.
 */
export interface OwnedNames<Name = string> {
  /** The Secret of each process, or undefined if all its secrets are in existing Secrets. */
  readonly secrets: Readonly<Record<Process, Name | undefined>>;
  readonly migrationSecret: Name | undefined;
  readonly settings: Name;
  /** Undefined if a bucket holds the documents. */
  readonly claim: Name | undefined;
}

type ApiHost = StackConfig['ingress']['customer'];

/** Leaves out undefined values, so that the chart's own value stays. */
const ifSet = <Value>(key: string, value: Value | undefined): Record<string, Value> =>
  value === undefined ? {} : { [key]: value };

const namespacePeers = (namespace: string | undefined) =>
  namespace === undefined
    ? undefined
    : [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }];

const cidrPeers = (cidrs: readonly string[]) =>
  cidrs.length === 0 ? undefined : cidrs.map((cidr) => ({ ipBlock: { cidr } }));

const imageValues = ({ image }: StackConfig) => ({
  repository: image.repository,
  tag: image.tag,
  digest: image.digest ?? '',
  pullPolicy: image.pullPolicy,
});

const processValues = <Name>(
  { replicas, maxReplicas }: StackConfig,
  { secrets }: OwnedNames<Name>,
) =>
  Object.fromEntries(
    processes.map((process) => {
      const max = maxReplicas[process];
      const autoscaling =
        max === undefined
          ? { enabled: false }
          : { enabled: true, minReplicas: replicas[process], maxReplicas: max };
      return [
        process,
        {
          replicas: replicas[process],
          autoscaling,
          ...ifSet('existingSecret', secrets[process]),
        },
      ];
    }),
  );

const ingressValues = ({ ingress }: StackConfig) => {
  const hostValues = ({ host, reach, tlsSecret, annotations }: ApiHost) => ({
    enabled: true,
    className: ingress.classes[reach],
    host,
    annotations,
    tls: tlsSecret === undefined ? [] : [{ hosts: [host], secretName: tlsSecret }],
  });
  return {
    controller: ingress.controller,
    publicClassName: ingress.classes.public,
    internalClassName: ingress.classes.internal,
    customer: hostValues(ingress.customer),
    admin: hostValues(ingress.admin),
    accounting: hostValues(ingress.accounting),
  };
};

const networkPolicyValues = ({ networkPolicy: policy }: StackConfig) => ({
  enabled: policy.enabled,
  ingressControllers: {
    ...ifSet('public', namespacePeers(policy.publicNamespace)),
    ...ifSet('internal', namespacePeers(policy.internalNamespace)),
  },
  ...ifSet('monitoring', namespacePeers(policy.monitoringNamespace)),
  egress: {
    database: ifSet('to', cidrPeers(policy.database)),
    cache: ifSet('to', cidrPeers(policy.cache)),
  },
});

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * Merges one set of values over another, as helm does. Maps are merged by key, and any other value
 * is replaced.
 */
const mergeOver = (
  below: Readonly<Record<string, unknown>>,
  above: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const existing = merged[key];
    merged[key] = isPlain(existing) && isPlain(value) ? mergeOver(existing, value) : value;
  }
  return merged;
};

/** Returns the values that follow from a stack's keys, before `values` is merged over them. */
export const valuesOfKeys = <Name>(config: StackConfig, names: OwnedNames<Name>) => ({
  image: imageValues(config),
  imagePullSecrets: config.image.pullSecrets.map((name) => ({ name })),
  config: { ...config.environment, APP_MODE: config.appMode },
  settings: { existingConfigMap: names.settings },
  secretsFrom: config.secretsFrom,
  // Hooks are left out if the chart is rendered without helm's own install.
  migrations: { mode: 'job', ...ifSet('existingSecret', names.migrationSecret) },
  tests: { enabled: false },
  objectStore: { type: config.objectStore.type, ...ifSet('existingClaim', names.claim) },
  ingress: ingressValues(config),
  networkPolicy: networkPolicyValues(config),
  ...processValues(config, names),
});

/**
 * Returns the values of the chart for a stack. They contain names of secrets, never a secret.
 * @param names The names of the program's objects. They may be known only later, so they are passed
 * on unread.
 */
export const chartValues = <Name>(
  config: StackConfig,
  names: OwnedNames<Name>,
): Record<string, unknown> => mergeOver(valuesOfKeys(config, names), config.values);

/**
 * Returns the values of the testbed. It uses the same image, which also contains the sandbox and
 * the seed.
 */
export const testbedValues = ({ image, testbedValues: own }: StackConfig) =>
  mergeOver(
    {
      purpose: 'test',
      image: { repository: image.repository, tag: image.tag, pullPolicy: image.pullPolicy },
      imagePullSecrets: image.pullSecrets.map((name) => ({ name })),
    },
    own,
  );
