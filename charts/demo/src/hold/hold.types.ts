import type { DemoContext } from '../cluster.types.ts';

/** The counts and response times of the requests that were sent during a fault. */
export interface Figures {
  readonly sent: number;
  readonly failed: number;
  /** The number of failed requests for each reason. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Seconds between the first failed request and the last. */
  readonly troubleSeconds: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** A fault that the demo causes while the cluster serves requests. */
export interface Fault {
  readonly title: string;
  /** Causes the fault and waits for recovery. Returns a note for the report. */
  readonly run: (context: DemoContext) => Promise<string>;
  /** Matches the failures that the fault may cause, such as `503` while the database is down. */
  readonly allowed: readonly RegExp[];
}

export interface HeldFault {
  readonly title: string;
  readonly figures: Figures;
  readonly seconds: number;
  readonly told: string;
  /** The failed requests that `allowed` does not match, plus 1 if the run itself failed. */
  readonly refused: number;
}
