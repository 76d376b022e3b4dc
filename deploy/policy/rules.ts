import { z } from 'zod';
import { secretNames } from '../src/config/variables.ts';
import { containersOf, kindOf, podOf, type Container, type Pod } from './workload.ts';

/** Says what is wrong with one resource; nothing where it is none of the rule's business. */
export type ResourceRule = (type: string, props: unknown) => readonly string[];

const saying = (sentence: string, isBroken: boolean): readonly string[] =>
  isBroken ? [sentence] : [];

const privilegesOf = (pod: Pod, { name, securityContext, ports }: Container): readonly string[] => [
  ...saying(`container ${name} is privileged`, securityContext.privileged === true),
  ...saying(
    `container ${name} may gain privileges: set allowPrivilegeEscalation to false`,
    securityContext.allowPrivilegeEscalation !== false,
  ),
  ...saying(
    `container ${name} may run as root: set runAsNonRoot to true`,
    (securityContext.runAsNonRoot ?? pod.securityContext.runAsNonRoot) !== true,
  ),
  ...saying(
    `container ${name} keeps capabilities: drop ALL and add none`,
    securityContext.capabilities?.drop?.includes('ALL') !== true ||
      (securityContext.capabilities.add ?? []).length > 0,
  ),
  ...saying(
    `container ${name} takes a port of the node: use a Service`,
    ports.some(({ hostPort }) => hostPort !== undefined),
  ),
];

/** Refuses a pod with more than the restricted level of Pod Security. */
export const restrictedPods: ResourceRule = (type, props) => {
  const pod = podOf(type, props);
  if (pod === undefined) return [];
  return [
    ...saying("it uses the node's network", pod.hostNetwork),
    ...saying("it sees the node's processes", pod.hostPID || pod.hostIPC),
    ...pod.volumes.flatMap(({ name, hostPath }) =>
      saying(`volume ${name} is a folder of the node`, hostPath !== undefined),
    ),
    ...containersOf(pod).flatMap((container) => privilegesOf(pod, container)),
  ];
};

const ingressSchema = z.object({
  spec: z.object({
    ingressClassName: z.string().optional(),
    rules: z
      .array(
        z.object({
          http: z
            .object({
              paths: z.array(
                z.object({ backend: z.object({ service: z.object({ name: z.string() }) }) }),
              ),
            })
            .default({ paths: [] }),
        }),
      )
      .default([]),
    defaultBackend: z.object({ service: z.object({ name: z.string() }) }).optional(),
  }),
});

const serviceSchema = z.object({ spec: z.object({ type: z.string().default('ClusterIP') }) });

/**
 * The accounting API is led to by internal ingress classes alone, and no Service leaves the
 * cluster past the ingresses.
 */
export const internalAccounting =
  (internalClasses: readonly string[]): ResourceRule =>
  (type, props) => {
    if (kindOf(type) === 'Service') {
      const { spec } = serviceSchema.parse(props);
      const isOpen = spec.type === 'LoadBalancer' || spec.type === 'NodePort';
      return saying(`it is a ${spec.type}: only ingresses are reached from outside`, isOpen);
    }
    if (kindOf(type) !== 'Ingress') return [];
    const { spec } = ingressSchema.parse(props);
    const backends = spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend));
    const services = [...backends, ...(spec.defaultBackend ? [spec.defaultBackend] : [])];
    const isAccounting = services.some(({ service }) => service.name.endsWith('-accounting'));
    const className = spec.ingressClassName ?? 'none';
    return saying(
      `it leads to accounting by the class ${className}: allowed are ${internalClasses.join(', ')}`,
      isAccounting && !internalClasses.includes(className),
    );
  };

const configMapSchema = z.object({ data: z.record(z.string(), z.string()).default({}) });

/** Recognises a name that only a secret has, or an address with a password in it. */
const isPlainSecret = (name: string, value: string): boolean =>
  secretNames.includes(name) || /:\/\/[^/\s:@]*:[^/\s@]+@/u.test(value);

/** Refuses a secret in a ConfigMap or in a container's own environment. */
export const noPlainSecrets: ResourceRule = (type, props) => {
  if (kindOf(type) === 'ConfigMap') {
    return Object.entries(configMapSchema.parse(props).data).flatMap(([name, value]) =>
      saying(`${name} is a secret in a ConfigMap: use a Secret`, isPlainSecret(name, value)),
    );
  }
  const pod = podOf(type, props);
  if (pod === undefined) return [];
  return containersOf(pod).flatMap((container) =>
    container.env.flatMap(({ name, value }) =>
      saying(
        `${name} of container ${container.name} is a secret in clear: refer to a Secret`,
        value !== undefined && isPlainSecret(name, value),
      ),
    ),
  );
};

const isFixed = (image: string): boolean => {
  if (/@sha256:[0-9a-f]{64}$/u.test(image)) return true;
  if (image.includes('@')) return false;
  const tag = /:(?<tag>[^/:]+)$/u.exec(image)?.groups?.['tag'];
  return tag !== undefined && tag !== 'latest';
};

/** Every image says which one it is. */
export const fixedImages: ResourceRule = (type, props) => {
  const pod = podOf(type, props);
  if (pod === undefined) return [];
  return containersOf(pod).flatMap(({ name, image }) =>
    saying(`container ${name} runs ${image}: name a digest or a tag`, !isFixed(image)),
  );
};
