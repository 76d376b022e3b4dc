import assert from 'node:assert/strict';
import type { StackRun } from './stack-run.ts';

/** A policy of the pack, and an object that breaks it alone. */
interface Violation {
  readonly policy: string;
  readonly object: object;
}

const object = (apiVersion: string, kind: string, rest: object) => ({
  apiVersion,
  kind,
  metadata: { name: 'refused' },
  ...rest,
});

const container = {
  name: 'app',
  image: `registry.example/app:1@sha256:${'0a'.repeat(32)}`,
  resources: { limits: { memory: '64Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};
const podWith = (changes: object) => ({
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ ...container, ...changes }],
});
const pod = (changes: object) => object('v1', 'Pod', { spec: podWith(changes) });
const accounting = 'digital-gold-accounting';

/** Policies of every tier. */
export const violationsOfAnyTier: readonly Violation[] = [
  {
    policy: 'restricted-pods',
    object: pod({ securityContext: { ...container.securityContext, privileged: true } }),
  },
  { policy: 'limited-containers', object: pod({ resources: {} }) },
  {
    policy: 'internal-accounting',
    object: object('networking.k8s.io/v1', 'Ingress', {
      spec: {
        ingressClassName: 'public',
        defaultBackend: { service: { name: accounting, port: { number: 80 } } },
      },
    }),
  },
  {
    policy: 'internal-accounting',
    object: object('gateway.networking.k8s.io/v1', 'HTTPRoute', {
      spec: {
        parentRefs: [{ name: 'public', namespace: 'edge', sectionName: 'https' }],
        rules: [{ backendRefs: [{ name: accounting, port: 80 }] }],
      },
    }),
  },
  {
    policy: 'no-plain-secrets',
    object: object('v1', 'ConfigMap', { data: { JWT_SECRET: 'in clear' } }),
  },
];

const labels = { app: 'refused' };

/** Policies of prod alone. */
export const violationsOfProd: readonly Violation[] = [
  {
    policy: 'encrypted-hosts',
    object: object('networking.k8s.io/v1', 'Ingress', {
      spec: {
        ingressClassName: 'public',
        rules: [{ host: 'in-clear.example', http: { paths: [] } }],
      },
    }),
  },
  { policy: 'fixed-images', object: pod({ image: 'registry.example/app:1' }) },
  {
    policy: 'two-replicas',
    object: object('apps/v1', 'Deployment', {
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podWith({}) },
      },
    }),
  },
];

/**
 * Expects the pack to stop an update for each object, in the preview and by the policy's name.
 * @param values What the stack's values are, before and afterwards.
 */
export const refuseEach = async (
  violations: readonly Violation[],
  run: StackRun,
  values: object,
): Promise<void> => {
  // One at a time: Pulumi ends with the first object that is refused.
  for (const { policy, object: refused } of violations) {
    run.write({ values: { ...values, extraObjects: [refused] } });
    const update = ['up', '--yes', '--non-interactive', '--policy-pack', 'policy/dist'];
    const { code, output } = await run.pulumi(...update);
    assert.notEqual(code, 0, `${policy} let its object pass`);
    assert.ok(output.includes(policy), `${policy} refused nothing:\n${output}`);
  }
  run.write({ values });
};
