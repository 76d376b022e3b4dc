import { z } from 'zod';

/* The schemas of a pod have only the fields that the policies check. */

const seccompSchema = z.object({ type: z.string() }).optional();

const sharedSecurityFields = {
  runAsNonRoot: z.boolean().optional(),
  runAsUser: z.int().optional(),
  seccompProfile: seccompSchema,
  appArmorProfile: z.object({ type: z.string() }).optional(),
  seLinuxOptions: z
    .object({ type: z.string().default(''), user: z.string(), role: z.string() })
    .partial()
    .optional(),
  windowsOptions: z.object({ hostProcess: z.boolean().optional() }).optional(),
};

const containerSecuritySchema = z.object({
  ...sharedSecurityFields,
  privileged: z.boolean().optional(),
  allowPrivilegeEscalation: z.boolean().optional(),
  readOnlyRootFilesystem: z.boolean().optional(),
  procMount: z.string().optional(),
  capabilities: z
    .object({ add: z.array(z.string()), drop: z.array(z.string()) })
    .partial()
    .optional(),
});

const podSecuritySchema = z.object({
  ...sharedSecurityFields,
  sysctls: z.array(z.object({ name: z.string() })).default([]),
});

/** A probe or a lifecycle hook. If it has a `host`, it is sent there instead of to the pod. */
const actionSchema = z
  .object({
    httpGet: z.object({ host: z.string().optional() }).optional(),
    tcpSocket: z.object({ host: z.string().optional() }).optional(),
  })
  .optional();

const containerSchema = z.object({
  name: z.string(),
  image: z.string(),
  securityContext: containerSecuritySchema.prefault({}),
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })).default([]),
  ports: z.array(z.object({ hostPort: z.int().optional() })).default([]),
  resources: z.object({ limits: z.record(z.string(), z.unknown()).default({}) }).prefault({}),
  livenessProbe: actionSchema,
  readinessProbe: actionSchema,
  startupProbe: actionSchema,
  lifecycle: z.object({ postStart: actionSchema, preStop: actionSchema }).optional(),
});

const podSchema = z.object({
  hostNetwork: z.boolean().default(false),
  hostPID: z.boolean().default(false),
  hostIPC: z.boolean().default(false),
  securityContext: podSecuritySchema.prefault({}),
  containers: z.array(containerSchema).default([]),
  initContainers: z.array(containerSchema).default([]),
  ephemeralContainers: z.array(containerSchema).default([]),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});

/** The spec of a pod with its annotations. */
export type Pod = z.output<typeof podSchema> & Pick<Metadata, 'annotations'>;
export type Container = z.output<typeof containerSchema>;

const metadataSchema = z
  .object({ annotations: z.record(z.string(), z.unknown()).default({}) })
  .prefault({});
type Metadata = z.output<typeof metadataSchema>;

const templateSchema = z.object({ metadata: metadataSchema, spec: podSchema });
const workloadSchema = z.object({ template: templateSchema });
const cronSchema = z.object({ jobTemplate: z.object({ spec: workloadSchema }) });
const specSchema = z.object({ spec: z.unknown() });

const podIn = ({ metadata, spec }: z.output<typeof templateSchema>): Pod => ({
  ...spec,
  annotations: metadata.annotations,
});

const workloadKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job']);

/**
 * Returns the kind in a resource's type, such as `Deployment` of `kubernetes:apps/v1:Deployment`.
 * Returns an empty text if the type is not of the provider `kubernetes`.
 */
export const kindOf = (type: string): string => {
  const [provider, , kind] = type.split(':');
  return provider === 'kubernetes' ? (kind ?? '') : '';
};

/**
 * Returns the pod that a resource creates, or undefined if its kind creates none.
 * @throws ZodError if the pod cannot be read, since a pod that cannot be checked must not pass
 */
export const podOf = (type: string, props: unknown): Pod | undefined => {
  const kind = kindOf(type);
  if (kind === 'Pod') return podIn(templateSchema.parse(props));
  if (kind === 'CronJob') {
    return podIn(cronSchema.parse(specSchema.parse(props).spec).jobTemplate.spec.template);
  }
  if (!workloadKinds.has(kind)) return undefined;
  return podIn(workloadSchema.parse(specSchema.parse(props).spec).template);
};

/** Returns every container of a pod, including its init and ephemeral containers. */
export const containersOf = (pod: Pod): readonly Container[] => [
  ...pod.initContainers,
  ...pod.containers,
  ...pod.ephemeralContainers,
];

/** Returns the problems of one resource, or an empty list if the rule does not apply to it. */
export type ResourceRule = (type: string, props: unknown) => readonly string[];

/** Returns a list of the sentence if the rule is broken, else an empty list. */
export const saying = (sentence: string, isBroken: boolean): readonly string[] =>
  isBroken ? [sentence] : [];
