import { describe, expect, it } from 'vitest';
import { stackAnnotations } from '../src/values/stack-facts.ts';
import {
  parseInput,
  prodInput,
  readStackFile,
  withPath,
  type StackInput,
} from '../test/support/stack-texts.ts';
import { limitedContainers, restrictedPods } from './restricted-pods.ts';
import { fixedImages, noPlainSecrets } from './secrets-and-images.ts';
import { createSettings, type PolicySettings } from './settings.ts';
import { twoReplicas } from './two-replicas.ts';

const prod: PolicySettings = { tier: 'prod', internalClasses: ['internal'], internalGateways: [] };
const dev: PolicySettings = { ...prod, tier: 'dev' };

const deployment = 'kubernetes:apps/v1:Deployment';
const digest = `sha256:${'0a'.repeat(32)}`;
const goodContainer = {
  name: 'app',
  image: `registry.example/app:1.2.3@${digest}`,
  resources: { limits: { memory: '256Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};
const goodPodSecurity = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
const podWith = (container: object, pod: object = {}) => ({
  securityContext: goodPodSecurity,
  containers: [{ ...goodContainer, ...container }],
  ...pod,
});
const workload = (container: object = {}, pod: object = {}) => ({
  spec: { template: { spec: podWith(container, pod) } },
});
const security = (changes: object) => ({
  securityContext: { ...goodContainer.securityContext, ...changes },
});
const podSecurity = (changes: object) =>
  workload({}, { securityContext: { ...goodPodSecurity, ...changes } });
const volume = (kind: object) => workload({}, { volumes: [{ name: 'x', ...kind }] });
const annotatedPod = (profile: string) => ({
  spec: {
    template: {
      metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/app': profile } },
      spec: podWith({}),
    },
  },
});
const capabilities = (add: readonly string[], drop = ['ALL']) =>
  workload(security({ capabilities: { drop, add } }));

describe('restricted pods', () => {
  it('are let pass', () => {
    expect(restrictedPods(deployment, workload())).toEqual([]);
    expect(restrictedPods('kubernetes:core/v1:Service', { spec: {} })).toEqual([]);
    expect(restrictedPods('aws:s3:Bucket', {})).toEqual([]);
  });

  it.each([
    ['binds a low port', capabilities(['NET_BIND_SERVICE'])],
    ['has a projected volume', volume({ projected: { sources: [] } })],
    [
      'is confined container by container',
      workload(security({ seccompProfile: { type: 'Localhost' }, runAsNonRoot: true }), {
        securityContext: {},
      }),
    ],
    ['is confined by an annotation', annotatedPod('runtime/default')],
    ['sets a safe sysctl', podSecurity({ sysctls: [{ name: 'net.ipv4.tcp_syncookies' }] })],
  ])('are let pass where one %s', (_what, props) => {
    expect(restrictedPods(deployment, props)).toEqual([]);
  });

  it.each([
    ['is privileged', workload(security({ privileged: true }))],
    ['may gain privileges', workload(security({ allowPrivilegeEscalation: true }))],
    ['may run as root', podSecurity({ runAsNonRoot: undefined })],
    ['may run as root', workload(security({ runAsNonRoot: false }))],
    ['runAsUser must not be 0', podSecurity({ runAsUser: 0 })],
    ['runAsUser must not be 0', workload(security({ runAsUser: 0 }))],
    ['keeps capabilities', capabilities([], ['NET_RAW'])],
    ['keeps capabilities', capabilities(['KILL'])],
    ['any system call', podSecurity({ seccompProfile: undefined })],
    ['any system call', workload(security({ seccompProfile: { type: 'Unconfined' } }))],
    ['root file system', workload(security({ readOnlyRootFilesystem: false }))],
    ['all of /proc', workload(security({ procMount: 'Unmasked' }))],
    ['AppArmor', workload(security({ appArmorProfile: { type: 'Unconfined' } }))],
    ['container app is not confined by AppArmor', annotatedPod('unconfined')],
    ['SELinux', podSecurity({ seLinuxOptions: { type: 'spc_t' } })],
    ['SELinux', podSecurity({ seLinuxOptions: { user: 'system_u' } })],
    ['the Windows node', podSecurity({ windowsOptions: { hostProcess: true } })],
    ["node's kernel", podSecurity({ sysctls: [{ name: 'kernel.msgmax' }] })],
    ['takes a port of the node', workload({ ports: [{ containerPort: 80, hostPort: 80 }] })],
    ['at another host', workload({ livenessProbe: { httpGet: { host: '10.0.0.1' } } })],
    ['at another host', workload({ lifecycle: { preStop: { tcpSocket: { host: 'db' } } } })],
    ["the node's network", workload({}, { hostNetwork: true })],
    ["the node's processes", workload({}, { hostPID: true })],
    ["the node's processes", workload({}, { hostIPC: true })],
    ['is a hostPath', volume({ hostPath: { path: '/' } })],
    ['is a nfs', volume({ nfs: { server: 'x', path: '/' } })],
  ])('are told from one of which it must be said: %s', (sentence, props) => {
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
    expect(restrictedPods(type, wrap(spec))).toHaveLength(3);
  });

  it('are not guessed where the pod cannot be read', () => {
    expect(() => restrictedPods(deployment, { spec: {} })).toThrow(/template/u);
  });
});

it('refuses a container that could take all memory of its node', () => {
  expect(limitedContainers(deployment, workload())).toEqual([]);
  const [sentence] = limitedContainers(deployment, workload({ resources: {} }));
  expect(sentence).toContain('resources.limits.memory');
});

const inConfigMap = (data: object) => noPlainSecrets('kubernetes:core/v1:ConfigMap', { data });
const withImage = (image: string, settings: PolicySettings) =>
  fixedImages(settings)(deployment, workload({ image }));

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
    `registry.example/app@${digest}`,
    `registry.example/app:1.2.3@${digest}`,
  ])('may be %s', (image) => {
    expect(withImage(image, dev)).toEqual([]);
  });

  it.each(['registry.example/app', 'registry.example:5000/app', 'app:latest', 'app@sha256:0a'])(
    'may not be %s',
    (image) => {
      expect(withImage(image, dev)).toHaveLength(1);
    },
  );

  it('of prod have a digest', () => {
    expect(withImage(`registry.example/app:1.2.3@${digest}`, prod)).toEqual([]);
    expect(withImage('registry.example/app:1.2.3', prod)[0]).toContain('name a digest');
  });
});

const named = (name: string, rest: object) => ({ metadata: { name }, ...rest });

describe('two replicas', () => {
  const labels = { 'app.kubernetes.io/component': 'worker' };
  const deployed = (replicas?: number) => ({
    type: deployment,
    name: 'worker',
    props: named('worker', { spec: { replicas, template: { metadata: { labels } } } }),
  });
  const budget = {
    type: 'kubernetes:policy/v1:PodDisruptionBudget',
    name: 'worker',
    props: named('worker', { spec: { selector: { matchLabels: labels } } }),
  };
  const autoscaler = (minReplicas: number) => ({
    type: 'kubernetes:autoscaling/v2:HorizontalPodAutoscaler',
    name: 'worker',
    props: named('worker', {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'worker' }, minReplicas },
    }),
  });

  it('and a budget are what prod needs', () => {
    expect(twoReplicas(prod)([deployed(2), budget])).toEqual([]);
    expect(twoReplicas(prod)([deployed(), budget, autoscaler(2)])).toEqual([]);
  });

  it.each([
    ['has 1 pod', [deployed(1), budget]],
    ['has 1 pod', [deployed(), budget]],
    ['has 1 pod', [deployed(3), budget, autoscaler(1)]],
    ['no PodDisruptionBudget', [deployed(2)]],
  ])('are missed where one %s', (sentence, resources) => {
    const violations = twoReplicas(prod)(resources);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(sentence);
  });

  it('are not asked of other tiers', () => {
    expect(twoReplicas(dev)([deployed(1)])).toEqual([]);
  });
});

const annotated = (input: StackInput) => ({
  metadata: { annotations: stackAnnotations(parseInput(input)) },
});

describe('the settings', () => {
  const namespace = 'kubernetes:core/v1:Namespace';

  it("are those that the stack's namespace says", () => {
    const settings = createSettings();
    const gateway = {
      internalParentRefs: [
        { name: 'inside', namespace: 'edge' },
        { name: 'own', port: 443 },
      ],
    };
    const input = withPath(readStackFile('dev'), 'ingress.classes.internal', 'vpn');
    settings.look('kubernetes:core/v1:ConfigMap', annotated(readStackFile('dev')));
    settings.look(namespace, annotated(withPath(input, 'values.gateway', gateway)));
    expect(settings.get()).toEqual({
      tier: 'dev',
      internalClasses: ['vpn'],
      internalGateways: [
        { name: 'inside', namespace: 'edge' },
        { name: 'own', namespace: 'digital-gold-dev', port: 443 },
      ],
    });
  });

  it("are prod's where no namespace says anything", () => {
    const settings = createSettings();
    settings.look(namespace, { metadata: { name: 'other' } });
    expect(settings.get()).toEqual({
      tier: 'prod',
      internalClasses: ['internal'],
      internalGateways: [],
    });
  });

  it('are not loosened by a later namespace, nor guessed', () => {
    const settings = createSettings();
    settings.look(namespace, annotated(prodInput()));
    settings.look(namespace, annotated(readStackFile('dev')));
    expect(settings.get().tier).toBe('prod');
    const unread = { metadata: { annotations: { 'deploy.digital-gold/stack': '{}' } } };
    expect(() => createSettings().look(namespace, unread)).toThrow(/tier/u);
  });
});
