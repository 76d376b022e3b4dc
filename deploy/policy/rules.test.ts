import { describe, expect, it } from 'vitest';
import { fixedImages, internalAccounting, noPlainSecrets, restrictedPods } from './rules.ts';

const deployment = 'kubernetes:apps/v1:Deployment';
const goodContainer = {
  name: 'app',
  image: 'registry.example/app:1.2.3',
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};
const podWith = (container: object, pod: object = {}) => ({
  securityContext: { runAsNonRoot: true },
  containers: [{ ...goodContainer, ...container }],
  ...pod,
});
const workload = (container: object = {}, pod: object = {}) => ({
  spec: { template: { spec: podWith(container, pod) } },
});
const security = (changes: object) => ({
  securityContext: { ...goodContainer.securityContext, ...changes },
});

const ingress = (service: string, ingressClassName?: string) => ({
  spec: {
    ...(ingressClassName === undefined ? {} : { ingressClassName }),
    rules: [{ http: { paths: [{ path: '/', backend: { service: { name: service } } }] } }],
  },
});
const inConfigMap = (data: object) => noPlainSecrets('kubernetes:core/v1:ConfigMap', { data });
const withImage = (image: string) => fixedImages(deployment, workload({ image }));

describe('restricted pods', () => {
  it('are let pass', () => {
    expect(restrictedPods(deployment, workload())).toEqual([]);
    expect(restrictedPods('kubernetes:core/v1:Service', { spec: {} })).toEqual([]);
    expect(restrictedPods('aws:s3:Bucket', {})).toEqual([]);
  });

  it.each([
    ['is privileged', workload(security({ privileged: true }))],
    ['may gain privileges', workload({ securityContext: { capabilities: { drop: ['ALL'] } } })],
    ['may run as root', workload({}, { securityContext: {} })],
    ['may run as root', workload(security({ runAsNonRoot: false }))],
    ['keeps capabilities', workload(security({ capabilities: { drop: ['NET_RAW'] } }))],
    ['keeps capabilities', workload(security({ capabilities: { drop: ['ALL'], add: ['KILL'] } }))],
    ['takes a port of the node', workload({ ports: [{ containerPort: 80, hostPort: 80 }] })],
    ["the node's network", workload({}, { hostNetwork: true })],
    ["the node's processes", workload({}, { hostPID: true })],
    ['a folder of the node', workload({}, { volumes: [{ name: 'x', hostPath: { path: '/' } }] })],
  ])('are told from one that %s', (sentence, props) => {
    const violations = restrictedPods(deployment, props);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(sentence);
  });

  it.each([
    ['kubernetes:core/v1:Pod', (spec: object) => ({ spec })],
    ['kubernetes:batch/v1:Job', (spec: object) => ({ spec: { template: { spec } } })],
    [
      'kubernetes:batch/v1:CronJob',
      (spec: object) => ({ spec: { jobTemplate: { spec: { template: { spec } } } } }),
    ],
  ])('are looked for in %s, those that run first too', (type, wrap) => {
    const spec = podWith({}, { initContainers: [{ ...goodContainer, securityContext: {} }] });
    expect(restrictedPods(type, wrap(spec))).toHaveLength(2);
  });

  it('are not guessed where the pod cannot be read', () => {
    expect(() => restrictedPods(deployment, { spec: {} })).toThrow(/template/u);
  });
});

describe('accounting', () => {
  const rule = internalAccounting(['internal', 'vpn']);
  const type = 'kubernetes:networking.k8s.io/v1:Ingress';

  it('is reached by internal classes, the others by any', () => {
    expect(rule(type, ingress('digital-gold-accounting', 'internal'))).toEqual([]);
    expect(rule(type, ingress('digital-gold-accounting', 'vpn'))).toEqual([]);
    expect(rule(type, ingress('digital-gold-customer', 'public'))).toEqual([]);
  });

  it('is not reached by another, nor by whichever is the default', () => {
    expect(rule(type, ingress('digital-gold-accounting', 'public'))[0]).toContain('class public');
    expect(rule(type, ingress('digital-gold-accounting'))[0]).toContain('class none');
    const byDefault = {
      spec: {
        ingressClassName: 'public',
        defaultBackend: { service: { name: 'digital-gold-accounting' } },
      },
    };
    expect(rule(type, byDefault)).toHaveLength(1);
  });

  it.each(['LoadBalancer', 'NodePort'])('is not bypassed by a %s', (kind) => {
    expect(rule('kubernetes:core/v1:Service', { spec: { type: kind } })).toHaveLength(1);
    expect(rule('kubernetes:core/v1:Service', { spec: {} })).toEqual([]);
  });
});

describe('plain secrets', () => {
  it('are found in a ConfigMap, by name and by form', () => {
    expect(inConfigMap({ JWT_SECRET: 'x' })[0]).toContain('JWT_SECRET');
    expect(inConfigMap({ ANY_URL: 'postgresql://user:word@db:5432/x' })).toHaveLength(1);
    expect(
      inConfigMap({ LOG_LEVEL: 'info', SAFEGOLD_BASE_URL: 'https://x.example:443/a' }),
    ).toEqual([]);
  });

  it("are found in a container's environment, where a reference is fine", () => {
    const env = [{ name: 'DATABASE_URL', value: 'x' }];
    expect(noPlainSecrets(deployment, workload({ env }))).toHaveLength(1);
    const reference = [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 's' } } }];
    expect(noPlainSecrets(deployment, workload({ env: reference }))).toEqual([]);
  });
});

describe('images', () => {
  it.each([
    'registry.example:5000/app:1.2.3',
    `registry.example/app@sha256:${'0a'.repeat(32)}`,
    `registry.example/app:1.2.3@sha256:${'0a'.repeat(32)}`,
  ])('may be %s', (image) => {
    expect(withImage(image)).toEqual([]);
  });

  it.each(['registry.example/app', 'registry.example:5000/app', 'app:latest', 'app@sha256:0a'])(
    'may not be %s',
    (image) => {
      expect(withImage(image)).toHaveLength(1);
    },
  );
});
