import type { StepOf, StepState } from '@digital-gold/backend/demo';
import type { Kubectl } from './tools/create-kubectl.ts';
import type { PortForward } from './tools/open-port-forward.ts';
import type { ToolOptions } from './tools/run-tool.ts';
import type { DemoOptions } from './read-options.ts';

/** A host behind an ingress controller, and the address of that controller. */
export interface IngressEndpoint {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

export type Api = 'customer' | 'admin' | 'accounting';

/** Values that one step saves for the later ones. */
export interface DemoState {
  image: { readonly repository: string; readonly tag: string };
  ingressEndpoints: Readonly<Record<Api, IngressEndpoint>>;
  /** The mark of the last rolling update, which is kept by later upgrades. */
  roll: string;
}

/** The context of every step: options, tools, and the values of earlier steps. */
export interface DemoContext extends StepState<DemoState> {
  readonly options: DemoOptions;
  /** Name of the kube context. */
  readonly kubeContext: string;
  /** The repository's folder. */
  readonly repository: string;
  readonly kubectl: Kubectl;
  /** Runs helm in the demo's namespace. Returns what it printed. @throws Error */
  readonly helm: (args: readonly string[]) => Promise<string>;
  /** Runs goldctl in the demo's context and namespace. Returns what it printed. @throws Error */
  readonly goldctl: (args: readonly string[], options?: ToolOptions) => Promise<string>;
  /** Closed when the demo is over. */
  readonly forward: (target: string, port: number) => Promise<PortForward>;
  readonly sleep: (ms: number) => Promise<void>;
  /** Writes at once. */
  readonly print: (text: string) => void;
}

export type ClusterStep = StepOf<DemoContext>;
