import type { Clock } from '../platform/clock/clock.ts';
import type { HttpClientOptions } from '../platform/http-client/index.ts';

/**
 * The ways in which an unexpected row of a list is read (contract: collaborators > Lists).
 *
 * * `left_out` means that the row is about another object.
 * * `open` means that the row has an unknown state, so that it counts as in progress.
 * * `unread` means that the row can't be read and may be about the queried object.
 */
export type RowReading = 'left_out' | 'open' | 'unread';

/** An unexpected row, for the metrics. */
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
  /** Counts an unexpected row of a list. */
  readonly observeRow?: (row: ObservedRow) => void;
  /** False for a process that receives no webhooks, so that it needs no webhook secrets. */
  readonly receivesWebhooks?: boolean;
}

/** A part of an adapter with open connections. */
export interface Closable {
  readonly close: () => Promise<void>;
}
