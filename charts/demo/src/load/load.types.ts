/**
 * Requests of one kind. They are sent at an even pace, whatever the result of the earlier requests.
 */
export interface LoadTarget {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly everyMs: number;
  /** `kept`: connections are used again and again. `new`: each request opens one. */
  readonly connections: 'kept' | 'new';
}

/** The results of one target's requests. */
export interface LoadReport {
  readonly name: string;
  readonly connections: LoadTarget['connections'];
  readonly sent: number;
  /** Those that got anything but a whole 200. */
  readonly failed: number;
  /** Each way of failing, with how often. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly medianMs: number;
  readonly slowestMs: number;
}
