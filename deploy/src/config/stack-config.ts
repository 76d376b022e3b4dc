import { z } from 'zod';
import {
  cidr,
  configText,
  dnsLabel,
  hostName,
  objectName,
  quantity,
  variableName,
} from './kinds.ts';

export const tiers = ['dev', 'staging', 'prod'] as const;

/** The ingress classes. Internal APIs have a class of their own. */
const ingressReaches = ['public', 'internal'] as const;

const image = z.strictObject({
  repository: z
    .string()
    .min(1)
    .optional()
    .describe('registry and name of the backend image, where no release names it'),
  tag: configText().pipe(z.string().min(1)).optional().describe('its tag'),
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/u, 'must be sha256: and 64 hexadecimal digits')
    .optional()
    .describe('its digest, which overrides the tag; required in prod where no release names it'),
  pullPolicy: z
    .enum(['IfNotPresent', 'Always', 'Never'])
    .default('IfNotPresent')
    .describe('when a node pulls the image'),
  pullSecrets: z
    .array(objectName())
    .default([])
    .describe('names of registry credentials in the namespace'),
});

const replicaCount = (process: string) =>
  z.int().min(1).max(50).default(2).describe(`pods of the ${process}; at least 2 in prod`);

const replicas = z.strictObject({
  customer: replicaCount('customer API'),
  admin: replicaCount('admin API'),
  accounting: replicaCount('accounting API'),
  worker: replicaCount('worker'),
});

const mostReplicas = (process: string) =>
  z
    .int()
    .min(2)
    .max(50)
    .optional()
    .describe(`pods of the ${process} under load; fixed if left out`);

const maxReplicas = z.strictObject({
  customer: mostReplicas('customer API'),
  admin: mostReplicas('admin API'),
  accounting: mostReplicas('accounting API'),
  worker: mostReplicas('worker'),
});

const host = (process: string, reach: (typeof ingressReaches)[number]) =>
  z.strictObject({
    host: hostName().describe(`host name of the ${process}`),
    reach: z
      .enum(ingressReaches)
      .default(reach)
      .describe('which of the two ingress classes serves it'),
    tlsSecret: objectName()
      .optional()
      .describe('name of the Secret with its certificate; required in prod'),
    annotations: z
      .record(z.string(), z.string())
      .default({})
      .describe('annotations for the ingress controller'),
  });

const ingress = z.strictObject({
  controller: z
    .enum(['traefik', 'nginx', 'other'])
    .default('traefik')
    .describe(
      'the controller of both classes, for which body caps and sticky sessions are written',
    ),
  classes: z
    .strictObject({
      public: dnsLabel().default('public').describe('the class reached from the internet'),
      internal: dnsLabel().default('internal').describe('the class reached only from inside'),
    })
    .prefault({}),
  customer: host('customer API', 'public'),
  admin: host('admin API', 'public'),
  accounting: host('accounting API', 'internal'),
});

const peers = (whose: string) =>
  z.array(cidr()).default([]).describe(`addresses of ${whose} as CIDRs; private networks if empty`);

const networkPolicy = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('pods accept and open only the connections they need; required in prod'),
  publicNamespace: dnsLabel()
    .optional()
    .describe("namespace of the public class's controller; the default of the chart if left out"),
  internalNamespace: dnsLabel()
    .optional()
    .describe("namespace of the internal class's controller; the default of the chart if left out"),
  monitoringNamespace: dnsLabel()
    .optional()
    .describe('namespace whose pods may read the metrics; the default of the chart if left out'),
  database: peers('PostgreSQL'),
  cache: peers('Redis'),
});

const switchText = (opens: string, off: string) =>
  configText().prefault(off).describe(`first value of the switch that opens ${opens}`);

const settings = z.strictObject({
  DIGITAL_GOLD_PAYMENT_ENABLED: switchText('buying', 'false'),
  DIGITAL_SELL_ENABLED: switchText('selling', 'false'),
  ACCOUNTING_PORTAL_MODE: switchText('writes of the accounting API', 'readonly'),
  ACCOUNTING_AUTO_POSTING_ENABLED: switchText('posting', 'false'),
});

const objectStore = z.strictObject({
  type: z
    .enum(['filesystem', 's3'])
    .default('filesystem')
    .describe('a claimed volume, or a bucket that `environment.S3_…` names'),
  size: quantity().default('10Gi').describe('size of the claim for uploaded documents'),
  storageClass: dnsLabel().optional().describe("its class; the cluster's default if left out"),
  accessMode: z
    .enum(['ReadWriteMany', 'ReadWriteOnce'])
    .default('ReadWriteMany')
    .describe('how it is mounted; only one node can mount ReadWriteOnce'),
});

const keyOfSecret = z.strictObject({
  name: objectName(),
  key: z
    .string()
    .max(253)
    .regex(/^[-._a-zA-Z0-9]+$/u, 'must be letters, digits, dashes, underscores and dots'),
});

const outputOfStack = z.strictObject({
  stack: z
    .string()
    .regex(
      /^[^/\s]+\/[^/\s]+\/[^/\s]+$/u,
      'must be organization/project/stack; the organization of a self-managed backend is `organization`',
    )
    .describe('the stack that made the cluster, as organization/project/stack'),
  output: z.string().min(1).describe('its output with the kubeconfig, in place of `kubeconfig`'),
});

const references = z.strictObject({
  kubeconfig: outputOfStack.optional(),
  secrets: z
    .record(variableName(), outputOfStack)
    .prefault({})
    .describe('secret environment variables by the `stack` and `output` that hold them'),
});

/**
 * The schema of a stack's keys, below the project's name `digital-gold:`. Unknown keys are refused.
 * The rules between several keys are in `rules.ts`.
 */
export const stackConfigSchema = z.strictObject({
  tier: z.enum(tiers).describe('how strict the rules between the keys are'),
  namespace: dnsLabel().describe('the namespace that the stack creates and owns'),
  kubeContext: z
    .string()
    .min(1)
    .optional()
    .describe('context of the kubeconfig; the current one if left out, allowed only in dev'),
  kubeconfig: z
    .string()
    .min(1)
    .optional()
    .describe("a whole kubeconfig, set with `--secret`; this machine's own if left out"),
  references: references.prefault({}),
  protect: z
    .boolean()
    .optional()
    .describe('protects what cannot be recreated against `destroy`; false only for dev'),
  appMode: z
    .enum(['development', 'test', 'production'])
    .default('production')
    .describe('the mode of every process, `APP_MODE`'),
  release: z
    .string()
    .regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/u, 'must be a version, such as 1.2.3')
    .optional()
    .describe('version whose file in `releases/` names the chart, the image and its digest'),
  image: image.prefault({}),
  replicas: replicas.prefault({}),
  maxReplicas: maxReplicas.prefault({}),
  ingress,
  networkPolicy: networkPolicy.prefault({}),
  environment: z
    .record(variableName(), configText())
    .prefault({})
    .describe('plain environment variables of every process'),
  settings: settings.prefault({}),
  objectStore: objectStore.prefault({}),
  testbed: z
    .boolean()
    .default(false)
    .describe('also install PostgreSQL, Redis and the sandbox; dev only'),
  secrets: z
    .record(variableName(), z.string().min(1))
    .optional()
    .describe("secret environment variables, each set with `--secret`; the testbed's if left out"),
  secretsFrom: z
    .record(variableName(), keyOfSecret)
    .prefault({})
    .describe('secret environment variables by the `name` and `key` of a Secret that is there'),
  testbedValues: z
    .record(z.string(), z.json())
    .prefault({})
    .describe("anything that the testbed's values allow, such as `postgres.image`"),
  values: z
    .record(z.string(), z.json())
    .prefault({})
    .describe("anything else that the chart's values allow; what a key here sets is refused there"),
});

/** A stack's configuration, with each key checked by itself, and with the defaults. */
export type StackKeys = z.output<typeof stackConfigSchema>;

/** The chart to install, which is a folder, a file or an address of a registry. */
interface ChartSource {
  readonly chart: string;
  /** The version in a registry, or undefined for a folder or a file. */
  readonly version?: string;
}

/** A stack's configuration, checked, with its defaults and its release. */
export interface StackConfig extends Omit<StackKeys, 'image'> {
  readonly chart: ChartSource;
  readonly image: Omit<StackKeys['image'], 'repository' | 'tag'> & {
    readonly repository: string;
    readonly tag: string;
  };
}
export type Tier = StackConfig['tier'];

/** Returns true when what can't be recreated is protected against `pulumi destroy`. */
export const isProtected = ({ protect, tier }: StackConfig): boolean => protect ?? tier !== 'dev';
