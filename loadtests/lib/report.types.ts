/** The part of k6's data for `handleSummary` that the reports use. */
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
  /** The metric's values by k6's names, such as `p(95)` and `count`. */
  readonly values: Readonly<Record<string, number>>;
}

/** A measured value without a threshold. */
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
  /** Present if the suite listens to the price feed. There is an entry for each mark. */
  readonly marks?: readonly MarkView[];
}

/** Summarises the ticks that all sockets received for one mark of the clock. */
export interface MarkView {
  readonly markMs: number;
  /** The lowest and the highest value at any socket. They differ only if sockets disagree. */
  readonly seq: readonly [number, number];
  readonly price: readonly [number, number];
  /** The time from the mark until the first socket, and until 99 of 100, had received the tick. */
  readonly heardMs: readonly [number, number];
  readonly sockets: number;
}
