/** An object as the API server stores it. The tests say what is in it. */
export interface FakeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly generation?: number;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Returns the labels that all objects of a release have. */
const releaseLabels = (component: string): Record<string, string> => ({
  'app.kubernetes.io/part-of': 'digital-gold',
  'app.kubernetes.io/component': component,
});

/** Returns a process's pod template, configured as the chart does it. */
const podSpec = (component: string) => ({
  containers: [
    {
      name: component,
      image: 'registry.example/digital-gold:1.2.3',
      ports: [
        { name: 'http', containerPort: 4000 },
        { name: 'internal', containerPort: 9090 },
      ],
      envFrom: [
        { configMapRef: { name: 'gold-config' } },
        { secretRef: { name: 'gold-secrets' } },
        { configMapRef: { name: 'gold-extra', optional: true } },
      ],
      env: [
        {
          name: 'OTEL_TOKEN',
          valueFrom: { secretKeyRef: { name: 'gold-otel', key: 'token', optional: true } },
        },
      ],
    },
  ],
  volumes: [
    { name: 'settings', configMap: { name: 'gold-settings' } },
    { name: 'scratch', emptyDir: {} },
    {
      name: 'token',
      projected: {
        sources: [{ configMap: { name: 'kube-root-ca.crt' } }, { secret: { name: 'gold-tls' } }],
      },
    },
  ],
});

/** Returns a deployment with `available` of its `wanted` replicas. */
export const fakeDeployment = (component: string, wanted = 1, available = wanted): FakeObject => ({
  metadata: {
    name: `gold-${component}`,
    labels: { ...releaseLabels(component), 'app.kubernetes.io/version': '0.0.0-test' },
    generation: 3,
  },
  spec: { replicas: wanted, template: { spec: podSpec(component) } },
  status: {
    observedGeneration: 3,
    replicas: wanted,
    updatedReplicas: wanted,
    availableReplicas: available,
  },
});

/** Returns a pod that is ready, or that waits for the given reason. */
export const fakePod = (
  component: string,
  options: { suffix?: string; createdAt?: string; waiting?: string } = {},
): FakeObject => {
  const isReady = options.waiting === undefined;
  const state = isReady
    ? { running: { startedAt: '2026-01-01T00:00:00Z' } }
    : { waiting: { reason: options.waiting, message: 'back-off 20s restarting' } };
  return {
    metadata: {
      name: `gold-${component}-${options.suffix ?? 'a'}`,
      labels: releaseLabels(component),
      creationTimestamp: options.createdAt ?? '2026-01-01T00:00:00Z',
    },
    spec: podSpec(component),
    status: {
      phase: 'Running',
      podIP: '127.0.0.1',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ name: component, ready: isReady, restartCount: 0, state }],
    },
  };
};

/** Returns a config map of the release. */
export const fakeConfigMap = (
  name: string,
  data: Readonly<Record<string, string>> = {},
  component = 'config',
): FakeObject => ({ metadata: { name, labels: releaseLabels(component) }, data });

/** Returns a secret whose content must never be requested. */
const fakeSecret = (name: string): FakeObject => ({
  metadata: { name },
  data: { PASSWORD: Buffer.from('never-to-be-read').toString('base64') },
});

/** Returns a whole release in which every check passes. */
export const healthyRelease = () => ({
  deployments: ['customer', 'admin', 'accounting', 'worker'].map((name) => fakeDeployment(name)),
  pods: ['customer', 'admin', 'accounting', 'worker'].map((name) => fakePod(name)),
  configmaps: [
    fakeConfigMap('gold-config', { LOG_LEVEL: 'info' }),
    fakeConfigMap(
      'gold-settings',
      {
        DIGITAL_SELL_ENABLED: 'true',
        DIGITAL_GOLD_PAYMENT_ENABLED: 'true',
        ACCOUNTING_AUTO_POSTING_ENABLED: 'false',
        ACCOUNTING_PORTAL_MODE: 'readonly',
      },
      'settings',
    ),
  ],
  secrets: ['gold-secrets', 'gold-tls'].map((name) => fakeSecret(name)),
  networkpolicies: [
    { metadata: { name: 'gold-default-deny', labels: releaseLabels('shared') }, spec: {} },
  ],
});
