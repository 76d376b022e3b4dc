import type { Clock } from '../platform/clock/clock.ts';
import type { HttpClientOptions } from '../platform/http-client/index.ts';

/**
 * How an odd row of a list was read (contract: collaborators > Lists). `left_out`: it is about
 * another object. `open`: its state is unknown to us, so it counts as in progress. `unread`: it may
 * be about the queried object, and can't be read.
 */
export type RowReading = 'left_out' | 'open' | 'unread';

/** One odd row, for the metrics. */
export interface ObservedRow {
  readonly collaborator: string;
  readonly operation: string;
  readonly reading: RowReading;
}

export interface AdapterDeps extends Pick<
  HttpClientOptions,
  'logger' | 'observe' | 'observeCircuit' | 'requestId'
> {
  readonly clock: Clock;
  /** Counts a row of a list that is about something else, or can't be read. */
  readonly observeRow?: (row: ObservedRow) => void;
  /** False for a process that receives no webhooks: it needs no secret of theirs. */
  readonly receivesWebhooks?: boolean;
}

/** The part of an adapter that holds connections. */
export interface Closable {
  readonly close: () => Promise<void>;
}
