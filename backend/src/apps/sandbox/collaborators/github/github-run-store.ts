import { addMs, msBetween, type Clock } from '../../../../platform/clock/clock.ts';
import type { CollaboratorStore } from '../../core/collaborator.ts';
import type { RunConclusion } from '../../core/run-simulator.ts';

/** A run of a workflow. Times are ISO text of real time. */
export interface Run {
  readonly id: number;
  readonly owner: string;
  readonly repo: string;
  readonly workflow: string;
  readonly title: string;
  readonly correlationId: string | null;
  readonly branch: string;
  readonly createdAt: string;
  /** Set if the run was ended by a control, and not by itself. */
  readonly ended: { readonly at: string; readonly conclusion: RunConclusion } | null;
}

/** The progress of a run. */
export interface RunState {
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: RunConclusion | null;
  readonly updatedAt: string;
}

export interface GithubRunStore extends CollaboratorStore {
  add(run: Pick<Run, 'owner' | 'repo' | 'workflow' | 'title' | 'correlationId' | 'branch'>): Run;
  /** Newest first. */
  all(): readonly Run[];
  stateOf(run: Run): RunState;
  end(run: Run, conclusion: RunConclusion): Run;
}

/** The first id. Like GitHub's ids, it does not fit into 32 bits. */
const firstId = 10_000_000_001;
/** The part of a run's time in which it waits for a runner. */
const queuedPart = 1 / 3;

/** Keeps runs, each of which ends by itself after `settleMs` of real time. */
export const createGithubRunStore = (system: Clock, settleMs: number): GithubRunStore => {
  let runs: readonly Run[] = [];
  return {
    add(details) {
      const run: Run = {
        ...details,
        id: firstId + runs.length,
        createdAt: system.now().toISOString(),
        ended: null,
      };
      runs = [...runs, run];
      return run;
    },
    all: () => runs.toReversed(),
    stateOf({ createdAt, ended }) {
      if (ended !== null) {
        return { status: 'completed', conclusion: ended.conclusion, updatedAt: ended.at };
      }
      const created = new Date(createdAt);
      const ageMs = msBetween(created, system.now());
      const [startsMs, endsMs] = [settleMs * queuedPart, settleMs];
      const timeAfter = (ms: number): string => addMs(created, ms).toISOString();
      if (ageMs >= endsMs) {
        return { status: 'completed', conclusion: 'success', updatedAt: timeAfter(endsMs) };
      }
      return ageMs >= startsMs
        ? { status: 'in_progress', conclusion: null, updatedAt: timeAfter(startsMs) }
        : { status: 'queued', conclusion: null, updatedAt: createdAt };
    },
    end(run, conclusion) {
      const ended: Run = { ...run, ended: { at: system.now().toISOString(), conclusion } };
      runs = runs.map((other) => (other.id === run.id ? ended : other));
      return ended;
    },
    save: () => runs,
    load(saved) {
      // The value was written by `save`, and the file's version was checked.
      runs = saved as readonly Run[];
    },
    clear() {
      runs = [];
    },
  };
};
