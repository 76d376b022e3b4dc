import type { Kubectl } from './tools/create-kubectl.ts';
import type { PortForward } from './tools/open-port-forward.ts';
import type { ToolOptions } from './tools/run-tool.ts';
import type { DemoOptions } from './read-options.ts';

/** A host behind an ingress controller, and where that is. */
export interface IngressPlace {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

export type Api = 'customer' | 'admin' | 'accounting';

/** Values that one step keeps for the later ones. */
export interface ClusterNotes {
  image: { readonly repository: string; readonly tag: string };
  places: Readonly<Record<Api, IngressPlace>>;
  /** The mark of the last rolling update, which is kept by later upgrades. */
  roll: string;
}

/** The surroundings of every step: options, tools, and the values of earlier steps. */
export interface ClusterWorld {
  readonly options: DemoOptions;
  /** Name of the kube context. */
  readonly kubeContext: string;
  /** The repository's folder. */
  readonly repository: string;
  readonly kubectl: Kubectl;
  /** helm in the demo's namespace; answers what it printed. @throws StepFailure */
  readonly helm: (args: readonly string[]) => Promise<string>;
  /** goldctl in the demo's context and namespace; answers what it printed. @throws StepFailure */
  readonly goldctl: (args: readonly string[], options?: ToolOptions) => Promise<string>;
  /** Closed when the demo is over. */
  readonly forward: (target: string, port: number) => Promise<PortForward>;
  keep<K extends keyof ClusterNotes>(name: K, value: ClusterNotes[K]): void;
  /** @throws Error when no earlier step kept it. */
  recall<K extends keyof ClusterNotes>(name: K): ClusterNotes[K];
  readonly sleep: (ms: number) => Promise<void>;
  /** Writes at once. */
  readonly say: (text: string) => void;
}

/** One step: acts, checks the result, and returns a line for each thing it did. */
export interface ClusterStep {
  readonly title: string;
  readonly run: (world: ClusterWorld) => Promise<readonly string[]>;
}
