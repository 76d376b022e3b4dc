/** One check of the program on the cluster. `run` throws when it fails. */
export interface Step {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** Steps in order, each of which needs those before it, and what ends them however they end. */
export interface Scenario {
  readonly steps: readonly Step[];
  readonly close: () => Promise<void>;
}

export interface ScenarioOptions {
  readonly namespace: string;
  readonly image: string;
}
