import type { DemoContext } from '../cluster.types.ts';

/** What was seen of a target's requests while something failed. */
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
  /** Lets it happen, and ends when all is well again. Returns what else is to be told. */
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
