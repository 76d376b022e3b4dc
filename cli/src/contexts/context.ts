/** A stack on this machine, as `make up` leaves it. */
export interface LocalContext {
  readonly kind: 'local';
  readonly repository: string;
  /** The stack's folder: `.dev`, or what STACK_HOME names. */
  readonly home: string;
}

/** A release in a cluster. */
export interface KubeContext {
  readonly kind: 'kube';
  /** The context of the kubeconfig; undefined inside the cluster. */
  readonly context: string | undefined;
  /** Undefined: the namespace of that context, or of the pod. */
  readonly namespace: string | undefined;
  /** Whether the pod's own service account is used. */
  readonly inCluster: boolean;
}

export type Context = LocalContext | KubeContext;
