import { performance } from 'node:perf_hooks';
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  circuitBreaker,
  fullJitterGenerator,
  handleWhenResult,
  retry,
} from 'cockatiel';
import { inSpan } from '../observability/tracing.ts';
import { refused, type Outcome } from '../outcome/outcome.ts';

/** The code of a call that was not sent because the collaborator's circuit breaker is open. */
export const CIRCUIT_OPEN = 'CIRCUIT_OPEN';

/**
 * The code of a call that was not sent because no connection was made (refused, no route, unknown
 * host).
 */
export const NOT_SENT = 'NOT_SENT';

/** The code of a call that the collaborator refused unread with 429. */
export const RATE_LIMITED = 'RATE_LIMITED';

/** The code of a call whose credential the collaborator refused with 401 or 403. */
export const NOT_AUTHORISED = 'NOT_AUTHORISED';

/**
 * The code of a call that is never sent because a value from outside would change the request's
 * path.
 */
export const UNFIT_PATH = 'UNFIT_PATH';

const refusedUnread: ReadonlySet<string> = new Set([
  CIRCUIT_OPEN,
  NOT_SENT,
  RATE_LIMITED,
  NOT_AUTHORISED,
]);

/**
 * Returns true if a call was refused before the collaborator had read the request. Such a call
 * certainly did nothing, but proves as little about the request as an outage. The caller treats it
 * as "unavailable, may be tried again", not as the collaborator's refusal.
 */
export const isUnavailable = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'refused' && refusedUnread.has(outcome.code);

/** The reason of an outcome that stayed unknown because the call's whole time had passed. */
export const TIMED_OUT = 'TIMED_OUT';

/** Returns a property of a thrown value, such as a system error's `code`. */
const field = (error: unknown, name: 'code' | 'syscall' | 'cause'): unknown => {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return value;
};

/**
 * Returns a short name of an error for logs. It is the system's or the client's error code, never a
 * message.
 */
export const errorCode = (error: unknown): string => {
  const code = field(error, 'code') ?? field(field(error, 'cause'), 'code');
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'UNKNOWN_ERROR';
};

/**
 * Returns true if the connection was certainly never made, so that no byte of the request was sent.
 * Only an error of the resolver, of `connect` or of the connection timeout proves that. The same
 * code (a reset, an unreachable host) from a read or a write comes after the request and proves
 * nothing.
 */
export const isConnectFailure = (error: unknown): boolean => {
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every(isConnectFailure);
  }
  if (field(error, 'code') === 'UND_ERR_CONNECT_TIMEOUT') return true;
  const syscall = field(error, 'syscall');
  return syscall === 'connect' || syscall === 'getaddrinfo';
};

const maxAttempts = 3;
const defaultFirstBackoffMs = 200;
const defaultConsecutiveFailures = 8;
const defaultHalfOpenAfterMs = 3_000;

/** The logger of calls. It never gets a body, an address or a header. */
interface HttpClientLogger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** An attempt, as the metrics report it. */
export interface ObservedCall {
  readonly collaborator: string;
  readonly operation: string;
  readonly outcome: Outcome<unknown>['kind'];
  readonly ms: number;
}

/** A change of a circuit, for the metrics. */
interface ChangedCircuit {
  readonly collaborator: string;
  readonly state: 'closed' | 'half_open' | 'open';
}

interface BreakerOptions {
  /** The number of failures in a row that opens the circuit. */
  readonly consecutiveFailures?: number;
  /** The time from opening until one call is let through as a probe. */
  readonly halfOpenAfterMs?: number;
}

export interface CallGuardOptions {
  /** The collaborator, as logs and metrics name it. */
  readonly name: string;
  /** The limit of an attempt, from connecting to the last byte. */
  readonly timeoutMs: number;
  readonly logger: HttpClientLogger;
  readonly observe?: (call: ObservedCall) => void;
  /** Called with the state of the circuit, at first and at each change. */
  readonly observeCircuit?: (circuit: ChangedCircuit) => void;
  readonly breaker?: BreakerOptions;
  /**
   * The longest wait before the first repetition, in milliseconds (default 200). It doubles for
   * each further repetition.
   */
  readonly firstBackoffMs?: number;
}

interface GuardedCall<T> {
  /** The name of the operation in logs and metrics. */
  readonly operation: string;
  /** Only a call declared safe to repeat is ever repeated. */
  readonly safe: boolean;
  /** Makes an attempt within the time limit. Any answer of the collaborator is `done`. */
  readonly attempt: () => Promise<Outcome<T>>;
  /** Returns more fields about an answer, for the log. */
  readonly describeAnswer?: (answer: T) => object;
}

interface CallGuard {
  /** Makes the call, unless the circuit is open, and repeats it if that is safe. */
  call<T>(call: GuardedCall<T>): Promise<Outcome<T>>;
  /**
   * Returns false while the circuit is open, and true again when a probe is due. It makes no call.
   */
  isAvailable(): boolean;
}

/** Returns the reason or code of an attempt, for the log. */
const describe = (attempt: Exclude<Outcome<unknown>, { kind: 'done' }>): object =>
  attempt.kind === 'refused' ? { code: attempt.code } : { reason: attempt.reason };

/**
 * Narrows the result of an attempt. It always is an outcome, but the policies' types don't know
 * that.
 */
const isOutcome = (result: unknown): result is Outcome<unknown> =>
  typeof result === 'object' && result !== null && 'kind' in result;

const isFailed = (result: unknown): boolean => isOutcome(result) && result.kind !== 'done';

const stateNames = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.HalfOpen]: 'half_open',
  [CircuitState.Open]: 'open',
  // Code can open a circuit permanently. This service never does.
  [CircuitState.Isolated]: 'open',
} as const;

const createBreaker = (options: CallGuardOptions) => {
  const { breaker = {}, name, logger, observeCircuit = () => {} } = options;
  const failedResult = handleWhenResult(isFailed);
  const halfOpenAfterMs = breaker.halfOpenAfterMs ?? defaultHalfOpenAfterMs;
  const policy = circuitBreaker(failedResult, {
    breaker: new ConsecutiveBreaker(breaker.consecutiveFailures ?? defaultConsecutiveFailures),
    halfOpenAfter: halfOpenAfterMs,
  });
  let openedAt = 0;
  observeCircuit({ collaborator: name, state: 'closed' });
  policy.onStateChange((state) => {
    if (state === CircuitState.Open) openedAt = performance.now();
    observeCircuit({ collaborator: name, state: stateNames[state] });
    logger.warn({ collaborator: name, circuit: CircuitState[state] }, 'circuit changed');
  });
  const isAvailable = (): boolean => {
    if (policy.state === CircuitState.Closed) return true;
    // The policy stays open until the next call, so without this no caller would make the probe.
    // One more millisecond is added, since the policy counts whole milliseconds.
    const isProbeDue = performance.now() - openedAt > halfOpenAfterMs + 1;
    return policy.state === CircuitState.Open && isProbeDue;
  };
  return { policy, isAvailable };
};

/**
 * Guards the calls to a collaborator, by any client. It has a separate circuit breaker, retries
 * calls declared safe (bounded, jittered), and writes a log line and a metric for each attempt.
 */
export const createCallGuard = (options: CallGuardOptions): CallGuard => {
  const { name, timeoutMs, logger, observe = () => {} } = options;
  const breaker = createBreaker(options);

  const attemptOnce = async <T>(attempt: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    try {
      return await breaker.policy.execute(attempt);
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      return refused(CIRCUIT_OPEN, `${name} has failed repeatedly and is left alone`);
    }
  };

  const attemptAndRecord = async <T>(call: GuardedCall<T>): Promise<Outcome<T>> => {
    const startedAt = performance.now();
    const { operation, describeAnswer = () => ({}) } = call;
    const traced = { name: `${name} ${operation}`, kind: 'client' } as const;
    const attempt = await inSpan(traced, async (span) => {
      const outcome = await attemptOnce(call.attempt);
      span.setAttributes({ collaborator: name, operation, outcome: outcome.kind });
      return outcome;
    });
    const ms = performance.now() - startedAt;
    observe({ collaborator: name, operation, outcome: attempt.kind, ms });
    const fields = {
      collaborator: name,
      operation,
      outcome: attempt.kind,
      ms: Math.round(ms),
      ...(attempt.kind === 'done' ? describeAnswer(attempt.value) : describe(attempt)),
    };
    if (attempt.kind === 'done') logger.debug(fields, 'collaborator answered');
    else logger.warn(fields, 'collaborator did not answer');
    return attempt;
  };

  const mayRepeat = (attempt: Outcome<unknown>, startedAt: number): boolean => {
    if (attempt.kind === 'done') return false;
    if (attempt.kind === 'refused' && attempt.code === CIRCUIT_OPEN) return false;
    // A call that exceeded its time is not repeated, so the caller waits for two limits at most.
    // The clock is not enough to detect this: on a busy event loop a timer fires early.
    if (attempt.kind === 'unknown' && attempt.reason === TIMED_OUT) return false;
    return performance.now() - startedAt < timeoutMs;
  };

  // "Full jitter" waits for a random time up to the doubled limit, so that replicas don't retry in
  // step.
  const backoff = new ExponentialBackoff({
    generator: fullJitterGenerator,
    initialDelay: options.firstBackoffMs ?? defaultFirstBackoffMs,
  });

  return {
    async call(call) {
      if (!call.safe) return attemptAndRecord(call);
      const startedAt = performance.now();
      const repeatable = handleWhenResult(
        (result) => isOutcome(result) && mayRepeat(result, startedAt),
      );
      const policy = retry(repeatable, { maxAttempts: maxAttempts - 1, backoff });
      return policy.execute(() => attemptAndRecord(call));
    },
    isAvailable: breaker.isAvailable,
  };
};
