export const runConclusions = ['success', 'failure', 'cancelled', 'timed_out'] as const;
export type RunConclusion = (typeof runConclusions)[number];

/** A run of a workflow, for people. */
export interface RunSummary {
  readonly id: string;
  readonly repository: string;
  readonly workflow: string;
  readonly title: string;
  readonly correlationId: string | null;
  readonly branch: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly createdAt: string;
}

/** Where a CI system's runs come to their end. */
export interface RunSimulator {
  /** The newest `count`, newest first. */
  runs(count: number): readonly RunSummary[];
  /** By its id or its correlation id; ends it now. Undefined for an unknown one. */
  end(id: string, conclusion: RunConclusion): RunSummary | undefined;
}
