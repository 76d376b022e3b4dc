/** A ConfigMap or Secret that a pod's template names. */
export interface KubeReference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  /** True if pods start without the object. */
  readonly isOptional: boolean;
}

/** The metadata of an object. */
export interface KubeObject {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface KubeConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
}

/** A variable of a container, and the source of its value. */
export interface KubeVariable {
  readonly name: string;
  /** The value in the template. Undefined if the value comes from an object. */
  readonly value: string | undefined;
  /** The object of the value. Undefined if the value is in the template. */
  readonly from: { readonly kind: KubeReference['kind']; readonly name: string } | undefined;
  /** The key of the value in the object. */
  readonly key: string | undefined;
}

export interface KubeDeployment extends KubeObject {
  readonly wantedReplicas: number;
  readonly availableReplicas: number;
  /** The number of replicas of the latest template. */
  readonly updatedReplicas: number;
  /** True if the cluster has processed the latest change. */
  readonly isObserved: boolean;
  /** The reason why the deployment does not progress, if the cluster reports one. */
  readonly trouble: string | undefined;
  readonly references: readonly KubeReference[];
  /** The config maps of the template's volumes, by the volume's name. */
  readonly configMapVolumes: Readonly<Record<string, string>>;
  readonly images: readonly string[];
  /** The variables of the first container. */
  readonly variables: readonly KubeVariable[];
  /** The objects whose every key becomes a variable. The last object wins. */
  readonly variablesFrom: readonly Omit<KubeReference, 'isOptional'>[];
}

/** A job that runs to its end. */
export interface KubeJob {
  readonly name: string;
  readonly state: 'running' | 'succeeded' | 'failed';
}

/** An event that the cluster reports about an object. */
interface KubeReport {
  readonly at: string | null;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly message: string;
}

export interface KubePod extends KubeObject {
  readonly createdAt: Date;
  readonly phase: string;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly ip: string | undefined;
  /** The names of the containers except init containers. The default container is first. */
  readonly containers: readonly string[];
  /** The container ports by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** The reason why the pod is not ready, if the cluster reports one. */
  readonly trouble: string | undefined;
  readonly references: readonly KubeReference[];
}

export interface ExecRequest {
  readonly pod: string;
  /** The name of the container. The default is the pod's first container. */
  readonly container?: string;
  readonly command: readonly string[];
  /** The text for the command's standard input, which is then closed. */
  readonly stdin?: string;
  /** True for a command that ends before its input is closed, which older clusters need. */
  readonly endsByItself?: boolean;
  /** The time limit from the opened connection to the command's end. The default is a minute. */
  readonly timeoutMs?: number;
}

/** An event about a config map, for the event list of the namespace. */
interface KubeEvent {
  readonly configMap: string;
  readonly reason: string;
  readonly message: string;
  readonly at: Date;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface PortForward {
  /** The port on 127.0.0.1. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The client of a namespace of a cluster. Every call has a time limit.
 * @throws CliError unreachable if the cluster does not respond, denied if it refuses the user, failed
 *   for other errors
 */
export interface KubeClient {
  readonly namespace: string;
  /** The context, or a text that names the pod's service account. */
  readonly description: string;
  /** The API server's address. */
  readonly server: string;
  /** The user of the kubeconfig, or the pod's service account. */
  readonly user: string;
  listDeployments(selector: string): Promise<KubeDeployment[]>;
  listPods(selector: string): Promise<KubePod[]>;
  /** Requests names and labels only. */
  listConfigMaps(selector: string): Promise<KubeObject[]>;
  /** Requests name and labels only. Returns undefined if there is none. */
  findConfigMap(name: string): Promise<KubeObject | undefined>;
  /** Requests name and labels only, never the content. Returns undefined if there is none. */
  findSecret(name: string): Promise<KubeObject | undefined>;
  readConfigMap(name: string): Promise<KubeConfigMap>;
  /**
   * Sets a key and returns its previous value. Other keys stay as they are, even if another writer
   * changes them concurrently. An equal value is not written.
   */
  patchConfigMapValue(
    name: string,
    key: string,
    value: string,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<string | undefined>;
  /** Annotates a pod, which makes its node process the pod at once. */
  annotatePod(name: string, annotations: Readonly<Record<string, string>>): Promise<void>;
  /** Records an event about a config map. */
  createEvent(event: KubeEvent): Promise<void>;
  /** Returns the version of the cluster, such as `v1.32.1`. */
  serverVersion(): Promise<string>;
  /** Returns true if the operator has a right in the namespace. */
  mayI(right: {
    readonly verb: string;
    readonly group: string;
    readonly resource: string;
  }): Promise<boolean>;
  hasNamespace(): Promise<boolean>;
  /** Returns the hosts for which ingresses of the release terminate TLS. */
  listTlsHosts(selector: string): Promise<string[]>;
  listNetworkPolicies(selector: string): Promise<KubeObject[]>;
  listEvents(): Promise<KubeReport[]>;
  /** Returns the last lines of a pod's log. */
  readLog(
    pod: string,
    options: { readonly lines: number; readonly container?: string },
  ): Promise<string>;
  /** Starts a job like the newest of the selected jobs, with other arguments. Returns its name. */
  startJobLike(selector: string, args: readonly string[]): Promise<string>;
  findJob(name: string): Promise<KubeJob>;
  removeJob(name: string): Promise<void>;
  execInPod(request: ExecRequest): Promise<ExecResult>;
  /** Opens a port of this machine that leads to a port of the pod. */
  portForward(pod: string, port: number): Promise<PortForward>;
}
