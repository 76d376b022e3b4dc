import type { StackConfig } from '../config/stack-config.ts';
import { processes, type Process } from '../processes.ts';

/** Names of what the program makes itself, because it must outlive what the chart makes. */
export interface OwnedNames<Name = string> {
  /** The Secret of each process, or undefined where all that it reads is in Secrets of others. */
  readonly secrets: Readonly<Record<Process, Name | undefined>>;
  readonly migrationSecret: Name | undefined;
  readonly settings: Name;
  /** Undefined if a bucket holds the documents. */
  readonly claim: Name | undefined;
}

type ApiHost = StackConfig['ingress']['customer'];

/** Leaves out undefined values, so that the chart's own value stays. */
const given = <Value>(key: string, value: Value | undefined): Record<string, Value> =>
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
      const most = maxReplicas[process];
      const autoscaling =
        most === undefined
          ? { enabled: false }
          : { enabled: true, minReplicas: replicas[process], maxReplicas: most };
      return [
        process,
        {
          replicas: replicas[process],
          autoscaling,
          ...given('existingSecret', secrets[process]),
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
    ...given('public', namespacePeers(policy.publicNamespace)),
    ...given('internal', namespacePeers(policy.internalNamespace)),
  },
  ...given('monitoring', namespacePeers(policy.monitoringNamespace)),
  egress: {
    database: given('to', cidrPeers(policy.database)),
    cache: given('to', cidrPeers(policy.cache)),
  },
});

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Lays one set of values over another, as helm does: maps key by key, anything else whole. */
const laidOver = (
  below: Readonly<Record<string, unknown>>,
  above: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = merged[key];
    merged[key] = isPlain(under) && isPlain(value) ? laidOver(under, value) : value;
  }
  return merged;
};

/** Returns the values that a stack's keys make, before those of `values` are laid over them. */
export const valuesOfKeys = <Name>(config: StackConfig, names: OwnedNames<Name>) => ({
  image: imageValues(config),
  imagePullSecrets: config.image.pullSecrets.map((name) => ({ name })),
  config: { ...config.environment, APP_MODE: config.appMode },
  settings: { existingConfigMap: names.settings },
  secretsFrom: config.secretsFrom,
  // Hooks are left out if the chart is rendered without helm's own install.
  migrations: { mode: 'job', ...given('existingSecret', names.migrationSecret) },
  tests: { enabled: false },
  objectStore: { type: config.objectStore.type, ...given('existingClaim', names.claim) },
  ingress: ingressValues(config),
  networkPolicy: networkPolicyValues(config),
  ...processValues(config, names),
});

/**
 * Returns the values of the chart for a stack. They hold names of secrets, never a secret.
 * @param names What the program made. They may be known only later, so they are passed on
 * untouched.
 */
export const chartValues = <Name>(
  config: StackConfig,
  names: OwnedNames<Name>,
): Record<string, unknown> => laidOver(valuesOfKeys(config, names), config.values);

/**
 * Returns the values of the testbed, with the same image: it holds the sandbox and the seed too.
 */
export const testbedValues = ({ image, testbedValues: own }: StackConfig) =>
  laidOver(
    {
      purpose: 'test',
      image: { repository: image.repository, tag: image.tag, pullPolicy: image.pullPolicy },
      imagePullSecrets: image.pullSecrets.map((name) => ({ name })),
    },
    own,
  );
