import type { Timers } from '../clock/timers.ts';
import type { Outcome } from '../outcome/outcome.ts';

/** The part of a logger that is needed here. It never gets a body, an address or a header. */
interface HttpClientLogger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** One attempt, for the metrics. */
export interface ObservedCall {
  readonly collaborator: string;
  readonly operation: string;
  readonly outcome: Outcome<unknown>['kind'];
  readonly ms: number;
}

export interface HttpClientOptions {
  /** The collaborator, as logs and metrics name it. */
  readonly name: string;
  /** Scheme, host and an optional path that goes before every request's. */
  readonly baseUrl: string;
  /** Limit of one attempt from connecting to the last byte. */
  readonly timeoutMs: number;
  /** Sent with every request; credentials belong here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly logger: HttpClientLogger;
  readonly observe?: (call: ObservedCall) => void;
  /** The id that travels as `x-request-id`; that of the request being served unless given. */
  readonly requestId?: () => string | undefined;
  readonly breaker?: BreakerOptions;
  readonly maxResponseBytes?: number;
  readonly timers?: Timers;
}

interface BreakerOptions {
  /** So many failures in a row open the circuit. */
  readonly consecutiveFailures?: number;
  /** The time after opening until one call is let through as a probe. */
  readonly halfOpenAfterMs?: number;
}

export interface HttpRequest {
  /** The name of the operation in logs and metrics. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Begins with a slash; what comes from outside is encoded by the caller. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body; a `LosslessNumber` in it is printed digit by digit. */
  readonly json?: unknown;
  /** A body of another kind. */
  readonly body?: { readonly bytes: string | Uint8Array; readonly contentType: string };
  /** Only a call declared safe to repeat is ever repeated. */
  readonly safe: boolean;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; a repeated header is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body with its numbers kept as text (`LosslessNumber`); undefined when it isn't JSON. */
  readonly json: unknown;
}

export interface HttpClient {
  /**
   * One call. `done` carries any answer below 500 but 408, a refusal of the collaborator among
   * them: the adapter reads it. Never throws for what the network does.
   */
  request(request: HttpRequest): Promise<Outcome<HttpResponse>>;
  /**
   * Returns false while the circuit is open, so that a caller with a choice can go elsewhere. It is
   * true again when a probe is due, and asks nobody.
   */
  isAvailable(): boolean;
  close(): Promise<void>;
}
