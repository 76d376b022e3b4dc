/** A ConfigMap or Secret that a pod's template names. */
export interface KubeReference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  /** Pods start without it. */
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

export interface KubeDeployment extends KubeObject {
  readonly wantedReplicas: number;
  readonly availableReplicas: number;
  /** Replicas of the latest template. */
  readonly updatedReplicas: number;
  /** The cluster has processed the latest change. */
  readonly isObserved: boolean;
  /** The reason why it does not progress, where the cluster reports one. */
  readonly trouble: string | undefined;
  readonly references: readonly KubeReference[];
  /** The config maps of the template's volumes, by the volume's name. */
  readonly configMapVolumes: Readonly<Record<string, string>>;
}

export interface KubePod extends KubeObject {
  readonly createdAt: Date;
  readonly phase: string;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly ip: string | undefined;
  /** Names of the containers that stay, the default one first. */
  readonly containers: readonly string[];
  /** Container ports by their names. */
  readonly ports: Readonly<Record<string, number>>;
  /** The reason why it is not ready, where the cluster reports one. */
  readonly trouble: string | undefined;
  readonly references: readonly KubeReference[];
}

export interface ExecRequest {
  readonly pod: string;
  /** The pod's first container unless given. */
  readonly container?: string;
  readonly command: readonly string[];
  /** Written to the command's standard input, which is then closed. */
  readonly stdin?: string;
  /** True for a command that ends without the end of its input, as older clusters need. */
  readonly endsByItself?: boolean;
  /** From the opened connection to the command's end; a minute unless given. */
  readonly timeoutMs?: number;
}

/** Something that happened to a config map, for whoever lists the events of the namespace. */
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
  /** Listens on 127.0.0.1. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * One namespace of a cluster. Every call has a time limit and throws CliError: unreachable when
 * the cluster does not answer, denied when it refuses, failed otherwise.
 */
export interface KubeClient {
  readonly namespace: string;
  /** The context, or the pod's service account, for people. */
  readonly description: string;
  /** The API server's address. */
  readonly server: string;
  /** The user of the kubeconfig, or the pod's service account. */
  readonly user: string;
  listDeployments(selector: string): Promise<KubeDeployment[]>;
  listPods(selector: string): Promise<KubePod[]>;
  /** Requests names and labels only. */
  listConfigMaps(selector: string): Promise<KubeObject[]>;
  /** Requests name and labels only; undefined when there is none. */
  findConfigMap(name: string): Promise<KubeObject | undefined>;
  /** Requests name and labels only, never the content; undefined when there is none. */
  findSecret(name: string): Promise<KubeObject | undefined>;
  readConfigMap(name: string): Promise<KubeConfigMap>;
  /**
   * Sets one key and leaves the others as they are, also those that another writer changes
   * meanwhile. Returns the value before; an equal value is not written.
   */
  patchConfigMapValue(
    name: string,
    key: string,
    value: string,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<string | undefined>;
  /** Annotates a pod, which makes its node look at the pod again at once. */
  annotatePod(name: string, annotations: Readonly<Record<string, string>>): Promise<void>;
  /** Records what happened to a config map. */
  createEvent(event: KubeEvent): Promise<void>;
  execInPod(request: ExecRequest): Promise<ExecResult>;
  /** Opens a port of this machine that leads to a port of the pod. */
  portForward(pod: string, port: number): Promise<PortForward>;
}
