import { z } from 'zod';
import type { PolicySettings } from './settings.ts';
import { kindOf, saying, type ResourceRule } from './workload.ts';

const backendSchema = z.object({ service: z.object({ name: z.string() }) });

const ingressSchema = z.object({
  spec: z.object({
    ingressClassName: z.string().optional(),
    rules: z
      .array(
        z.object({
          host: z.string().default(''),
          http: z
            .object({ paths: z.array(z.object({ backend: backendSchema })) })
            .default({ paths: [] }),
        }),
      )
      .default([]),
    defaultBackend: backendSchema.optional(),
    tls: z.array(z.object({ hosts: z.array(z.string()).default([]) })).default([]),
  }),
});

const routeSchema = z.object({
  spec: z.object({
    parentRefs: z.array(z.object({ name: z.string() })).default([]),
    rules: z
      .array(z.object({ backendRefs: z.array(z.object({ name: z.string() })).default([]) }))
      .default([]),
  }),
});

const serviceSchema = z.object({ spec: z.object({ type: z.string().default('ClusterIP') }) });

const isAccounting = (service: string): boolean => service.endsWith('-accounting');

const listOf = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.join(', ');

const ofIngress = (props: unknown, internalClasses: readonly string[]): readonly string[] => {
  const { spec } = ingressSchema.parse(props);
  const backends = spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend));
  const services = [...backends, ...(spec.defaultBackend ? [spec.defaultBackend] : [])];
  const className = spec.ingressClassName ?? 'none';
  return saying(
    `it leads to accounting by the class ${className}: allowed are ${listOf(internalClasses)}`,
    services.some(({ service }) => isAccounting(service.name)) &&
      !internalClasses.includes(className),
  );
};

const ofRoute = (props: unknown, internalGateways: readonly string[]): readonly string[] => {
  const { spec } = routeSchema.parse(props);
  const services = spec.rules.flatMap(({ backendRefs }) => backendRefs.map(({ name }) => name));
  if (!services.some(isAccounting)) return [];
  const outside = spec.parentRefs.filter(({ name }) => !internalGateways.includes(name));
  return saying(
    `it leads to accounting by the Gateway ${listOf(outside.map(({ name }) => name))}: allowed are ` +
      listOf(internalGateways),
    outside.length > 0 || spec.parentRefs.length === 0,
  );
};

/**
 * The accounting API is led to by internal ingress classes and Gateways alone, and no Service leaves
 * the cluster past them.
 */
export const internalAccounting =
  ({ internalClasses, internalGateways }: PolicySettings): ResourceRule =>
  (type, props) => {
    switch (kindOf(type)) {
      case 'Service': {
        const { spec } = serviceSchema.parse(props);
        const isOpen = spec.type === 'LoadBalancer' || spec.type === 'NodePort';
        return saying(`it is a ${spec.type}: only ingresses are reached from outside`, isOpen);
      }
      case 'Ingress':
        return ofIngress(props, internalClasses);
      case 'HTTPRoute':
        return ofRoute(props, internalGateways);
      default:
        return [];
    }
  };

/** Refuses an Ingress in prod with a host that no certificate is named for. */
export const encryptedHosts =
  ({ tier }: PolicySettings): ResourceRule =>
  (type, props) => {
    if (tier !== 'prod' || kindOf(type) !== 'Ingress') return [];
    const { spec } = ingressSchema.parse(props);
    const encrypted = new Set(spec.tls.flatMap(({ hosts }) => hosts));
    return spec.rules.flatMap(({ host }) =>
      saying(`its host ${host || '*'} has no certificate: name one in tls`, !encrypted.has(host)),
    );
  };
