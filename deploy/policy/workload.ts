import { z } from 'zod';

/** The parts of a pod that the policies check. */
const securitySchema = z
  .object({
    privileged: z.boolean().optional(),
    allowPrivilegeEscalation: z.boolean().optional(),
    runAsNonRoot: z.boolean().optional(),
    capabilities: z.object({ add: z.array(z.string()), drop: z.array(z.string()) }).partial(),
  })
  .partial();

const containerSchema = z.object({
  name: z.string(),
  image: z.string(),
  securityContext: securitySchema.default({}),
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })).default([]),
  ports: z.array(z.object({ hostPort: z.int().optional() })).default([]),
});

const podSchema = z.object({
  hostNetwork: z.boolean().default(false),
  hostPID: z.boolean().default(false),
  hostIPC: z.boolean().default(false),
  securityContext: z.object({ runAsNonRoot: z.boolean().optional() }).default({}),
  containers: z.array(containerSchema).default([]),
  initContainers: z.array(containerSchema).default([]),
  volumes: z.array(z.object({ name: z.string(), hostPath: z.unknown().optional() })).default([]),
});

export type Pod = z.output<typeof podSchema>;
export type Container = z.output<typeof containerSchema>;

const workloadSchema = z.object({ template: z.object({ spec: podSchema }) });
const cronSchema = z.object({ jobTemplate: z.object({ spec: workloadSchema }) });
const specSchema = z.object({ spec: z.unknown() });

const workloadKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job']);

/**
 * Returns the kind in a resource's type, such as `Deployment` of `kubernetes:apps/v1:Deployment`.
 */
export const kindOf = (type: string): string => {
  const [provider, , kind] = type.split(':');
  return provider === 'kubernetes' ? (kind ?? '') : '';
};

/**
 * Returns the pod that a resource creates; undefined for one that creates none.
 * @throws ZodError when it should make one and cannot be read, which no policy may let pass.
 */
export const podOf = (type: string, props: unknown): Pod | undefined => {
  const kind = kindOf(type);
  if (kind === 'Pod') return podSchema.parse(specSchema.parse(props).spec);
  if (kind === 'CronJob') {
    return cronSchema.parse(specSchema.parse(props).spec).jobTemplate.spec.template.spec;
  }
  if (!workloadKinds.has(kind)) return undefined;
  return workloadSchema.parse(specSchema.parse(props).spec).template.spec;
};

/** Every container of a pod, those that run first among them. */
export const containersOf = (pod: Pod): readonly Container[] => [
  ...pod.initContainers,
  ...pod.containers,
];
