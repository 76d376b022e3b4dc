/** The options of the demo's run, read from the environment. */
export interface DemoOptions {
  /** Undefined for the current context of the kubeconfig. */
  readonly kubeContext: string | undefined;
  readonly namespace: string;
  /** An image of the service that the cluster can pull already: nothing is built. */
  readonly image: string | undefined;
  /** A program with `build` and `load`. See README.md. */
  readonly clusterTool: string | undefined;
  /** The base of the built image, if it is not the Dockerfile's. */
  readonly nodeImage: string | undefined;
  readonly postgresImage: string | undefined;
  readonly redisImage: string | undefined;
  readonly publicClass: string;
  readonly internalClass: string;
  readonly controller: 'traefik' | 'nginx' | 'other';
  /**
   * `address` or `address:port` of the public ingress. It is needed if the Ingress's status does
   * not have it.
   */
  readonly ingressAddress: string | undefined;
  readonly internalIngressAddress: string | undefined;
  /** True to remove everything again after a successful run. */
  readonly isTakenDown: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const controllers = ['traefik', 'nginx', 'other'] as const;

/**
 * Reads the options.
 * @throws Error of one line that says what is wrong
 */
export const readOptions = (env: Environment): DemoOptions => {
  const given = (name: string): string | undefined => {
    const text = env[name] ?? '';
    return text === '' ? undefined : text;
  };
  const namespace = given('DEMO_NAMESPACE') ?? 'digital-gold-demo';
  if (!/^[a-z][a-z0-9-]{0,40}[a-z0-9]$/u.test(namespace)) {
    throw new Error('DEMO_NAMESPACE must be lower-case letters, digits and -');
  }
  const wanted = given('INGRESS_CONTROLLER') ?? 'traefik';
  const controller = controllers.find((name) => name === wanted);
  if (controller === undefined) {
    throw new Error(`INGRESS_CONTROLLER must be one of ${controllers.join(', ')}`);
  }
  return {
    kubeContext: given('KUBE_CONTEXT'),
    namespace,
    image: given('IMAGE'),
    clusterTool: given('CLUSTER_TOOL'),
    nodeImage: given('NODE_IMAGE'),
    postgresImage: given('POSTGRES_IMAGE'),
    redisImage: given('REDIS_IMAGE'),
    publicClass: given('PUBLIC_INGRESS_CLASS') ?? 'public',
    internalClass: given('INTERNAL_INGRESS_CLASS') ?? 'internal',
    controller,
    ingressAddress: given('INGRESS_ADDRESS'),
    internalIngressAddress: given('INTERNAL_INGRESS_ADDRESS'),
    isTakenDown: given('DEMO_DOWN') === '1',
  };
};
