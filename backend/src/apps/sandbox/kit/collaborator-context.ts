import type { Timers } from '../../../platform/clock/timers.ts';
import type { FaultBook } from '../state/fault-book.ts';
import type { Journal } from '../state/journal.ts';
import type { Life } from './life.ts';

/** What serving a collaborator needs of the sandbox. */
export interface CollaboratorContext {
  readonly journal: Journal;
  readonly faults: FaultBook;
  readonly timers: Timers;
  readonly life: Life;
  /** Called when a collaborator's books may have changed. */
  readonly changed: () => void;
}
