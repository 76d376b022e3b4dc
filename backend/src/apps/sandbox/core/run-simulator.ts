export const runConclusions = ['success', 'failure', 'cancelled', 'timed_out'] as const;
export type RunConclusion = (typeof runConclusions)[number];

/** Shows a run of a workflow to people. */
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

/** Ends the runs of a CI system. */
export interface RunSimulator {
  /** Lists the newest `count` runs, newest first. */
  runs(count: number): readonly RunSummary[];
  /** Ends a run now, by its id or its correlation id. Returns undefined for an unknown run. */
  end(id: string, conclusion: RunConclusion): RunSummary | undefined;
}
