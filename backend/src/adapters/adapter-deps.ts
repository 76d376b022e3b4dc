import type { Clock } from '../platform/clock/clock.ts';
import type { HttpClientOptions } from '../platform/http-client/index.ts';

export interface AdapterDeps extends Pick<HttpClientOptions, 'logger' | 'observe' | 'requestId'> {
  readonly clock: Clock;
  /** False for a process that receives no webhooks: it needs no secret of theirs. */
  readonly receivesWebhooks?: boolean;
}

/** The part of an adapter that holds connections. */
export interface Closable {
  readonly close: () => Promise<void>;
}
