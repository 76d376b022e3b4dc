import { z } from 'zod';
import { parentRefSchema, type GatewayFact } from '../src/values/stack-facts.ts';
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
  metadata: z.object({ namespace: z.string().optional() }).prefault({}),
  spec: z.object({
    parentRefs: z.array(parentRefSchema).default([]),
    rules: z
      .array(z.object({ backendRefs: z.array(z.object({ name: z.string() })).default([]) }))
      .default([]),
  }),
});

const serviceSchema = z.object({
  spec: z.object({
    type: z.string().default('ClusterIP'),
    externalIPs: z.array(z.string()).default([]),
  }),
});

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

type ParentRef = z.output<typeof parentRefSchema>;

const refText = ({ namespace, name, sectionName, port }: ParentRef): string =>
  [namespace, name, sectionName, port].filter((part) => part !== undefined).join('/');

/**
 * Returns true if a route's parent is the fact's Gateway. A fact without a listener means all
 * listeners.
 */
const isWithin = (ref: ParentRef, fact: GatewayFact): boolean =>
  ref.name === fact.name &&
  ref.namespace === fact.namespace &&
  (fact.sectionName ?? ref.sectionName) === ref.sectionName &&
  (fact.port ?? ref.port) === ref.port;

/**
 * Returns the Gateways of a route, each with its namespace. Without a namespace it is the route's
 * own.
 */
const gatewaysOf = ({ metadata, spec }: z.output<typeof routeSchema>): readonly ParentRef[] =>
  spec.parentRefs.map((ref) => ({ ...ref, namespace: ref.namespace ?? metadata.namespace }));

const ofRoute = (props: unknown, internalGateways: readonly GatewayFact[]): readonly string[] => {
  const route = routeSchema.parse(props);
  const services = route.spec.rules.flatMap(({ backendRefs }) =>
    backendRefs.map(({ name }) => name),
  );
  if (!services.some(isAccounting)) return [];
  const gateways = gatewaysOf(route);
  const outside = gateways.filter((ref) => !internalGateways.some((fact) => isWithin(ref, fact)));
  return saying(
    `it leads to accounting by the Gateway ${listOf(outside.map(refText))}: allowed are ` +
      listOf(internalGateways.map(refText)),
    outside.length > 0 || gateways.length === 0,
  );
};

const ofService = (props: unknown): readonly string[] => {
  const { type, externalIPs } = serviceSchema.parse(props).spec;
  return [
    ...saying(
      `it is a ${type}: only ingresses are reached from outside`,
      type === 'LoadBalancer' || type === 'NodePort',
    ),
    ...saying(
      'it has externalIPs: only ingresses are reached from outside',
      externalIPs.length > 0,
    ),
  ];
};

/**
 * Refuses a route to the accounting API except through internal ingress classes and Gateways.
 * Refuses any Service that is reachable from outside the cluster.
 */
export const internalAccounting =
  ({ internalClasses, internalGateways }: PolicySettings): ResourceRule =>
  (type, props) => {
    switch (kindOf(type)) {
      case 'Service':
        return ofService(props);
      case 'Ingress':
        return ofIngress(props, internalClasses);
      case 'HTTPRoute':
        return ofRoute(props, internalGateways);
      default:
        return [];
    }
  };

const hostsInClear = (props: unknown): readonly string[] => {
  const { spec } = ingressSchema.parse(props);
  const encrypted = new Set(spec.tls.flatMap(({ hosts }) => hosts));
  return spec.rules.flatMap(({ host }) =>
    saying(`its host ${host || '*'} has no certificate: name one in tls`, !encrypted.has(host)),
  );
};

const listenersInClear = (props: unknown): readonly string[] =>
  gatewaysOf(routeSchema.parse(props)).flatMap((ref) => [
    ...saying(
      `it is served by every listener of ${refText(ref)}, one in clear too: name one in sectionName`,
      ref.sectionName === undefined && ref.port === undefined,
    ),
    ...saying(
      `it is served in clear by ${refText(ref)}: name a listener with a certificate`,
      ref.port === 80 || ref.sectionName === 'http',
    ),
  ]);

/**
 * Refuses in prod an Ingress with a host without a certificate, and a route that an unencrypted
 * listener may serve. A listener's certificate belongs to the Gateway, which no stack creates.
 */
export const encryptedHosts =
  ({ tier }: PolicySettings): ResourceRule =>
  (type, props) => {
    if (tier !== 'prod') return [];
    switch (kindOf(type)) {
      case 'Ingress':
        return hostsInClear(props);
      case 'HTTPRoute':
        return listenersInClear(props);
      default:
        return [];
    }
  };
