import type { DemoContext } from '../cluster.types.ts';

/** The observed requests of a target during a fault. */
export interface Figures {
  readonly sent: number;
  readonly failed: number;
  /** Each way of failing, with how often. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Seconds between the first failed request and the last. */
  readonly troubleSeconds: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Something that happens to a cluster while it serves. */
export interface Fault {
  readonly title: string;
  /** Causes the fault, and resolves when everything has recovered. Returns what else to report. */
  readonly run: (context: DemoContext) => Promise<string>;
  /** The answers that may be other than 200: such as `503` of a database that is away. */
  readonly allowed: readonly RegExp[];
}

export interface HeldFault {
  readonly title: string;
  readonly figures: Figures;
  readonly seconds: number;
  readonly told: string;
  /** Failed requests that are not of the fault's own kind. */
  readonly refused: number;
}
