import type { Timers } from '../../../platform/clock/timers.ts';
import type { FaultRegistry } from '../state/fault-registry.ts';
import type { Journal } from '../state/journal.ts';
import type { BackgroundWork } from './background-work.ts';

/** What serving a collaborator needs of the sandbox. */
export interface CollaboratorContext {
  readonly journal: Journal;
  readonly faults: FaultRegistry;
  readonly timers: Timers;
  readonly backgroundWork: BackgroundWork;
  /** Called when a collaborator's books may have changed. */
  readonly changed: () => void;
}
