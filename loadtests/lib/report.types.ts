/** Of what k6 gives to `handleSummary`, the part that the reports need. */
export interface SummaryData {
  readonly state: { readonly testRunDurationMs: number };
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly values: Readonly<Record<string, number>>;
        readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>;
      }
    >
  >;
}

export interface Verdict {
  /** The metric and the expression, as k6 names them. */
  readonly threshold: string;
  readonly says: string;
  readonly part: string;
  readonly ok: boolean;
  readonly observed: string;
  /** Its numbers, by k6's names: `p(95)`, `count`. */
  readonly values: Readonly<Record<string, number>>;
}

/** A number worth knowing that nothing is held against, as it was observed. */
interface SeenFigure {
  readonly says: string;
  readonly observed: string;
  readonly values: Readonly<Record<string, number>>;
}

export interface Report {
  readonly suite: string;
  readonly title: string;
  readonly profile: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly verdicts: readonly Verdict[];
  readonly figures: readonly SeenFigure[];
  /** Of a suite that hears a feed: what was heard at each mark. */
  readonly marks?: readonly MarkView[];
}

/** Holds what all sockets together heard at one mark of the clock. */
export interface MarkView {
  readonly markMs: number;
  /** The lowest and the highest. They are the same unless sockets disagree. */
  readonly seq: readonly [number, number];
  readonly price: readonly [number, number];
  /** Says how long after the mark the first socket heard the tick, and 99 of 100 had. */
  readonly heardMs: readonly [number, number];
  readonly sockets: number;
}
