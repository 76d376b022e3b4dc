import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhenResult,
} from 'cockatiel';
import { createTimers } from '../clock/timers.ts';
import { refused, type Outcome } from '../outcome/outcome.ts';
import type { HttpClientOptions } from './http-client.types.ts';
import { CIRCUIT_OPEN, TIMED_OUT } from './transport-refusals.ts';

const maxAttempts = 3;
const firstBackoffMs = 100;
const defaultConsecutiveFailures = 8;
const defaultHalfOpenAfterMs = 3_000;

type CallGuardOptions = Pick<
  HttpClientOptions,
  'breaker' | 'logger' | 'name' | 'observe' | 'timeoutMs' | 'timers'
>;

interface GuardedCall<T> {
  /** The name of the operation in logs and metrics. */
  readonly operation: string;
  /** Only a call declared safe to repeat is ever repeated. */
  readonly safe: boolean;
  /** One attempt, within the time limit. Anything that the collaborator answered is `done`. */
  readonly attempt: () => Promise<Outcome<T>>;
  /** More about an answer, for the log. */
  readonly describeAnswer?: (answer: T) => object;
}

interface CallGuard {
  /** Makes the call, unless the circuit is open, and repeats it where that is safe. */
  call<T>(call: GuardedCall<T>): Promise<Outcome<T>>;
  /** Returns false while the circuit is open; true again when a probe is due. Asks nobody. */
  isAvailable(): boolean;
}

/** "Full jitter": anything up to the doubled ceiling, so that replicas don't retry in step. */
const backoffMs = (attempt: number): number => randomInt(firstBackoffMs * 2 ** attempt) + 1;

/** Reason or code of an attempt, for the log. */
const describe = (attempt: Exclude<Outcome<unknown>, { kind: 'done' }>): object =>
  attempt.kind === 'refused' ? { code: attempt.code } : { reason: attempt.reason };

/** The policy's view of an attempt: it knows only that something was returned. */
const isFailed = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'kind' in result && result.kind !== 'done';

const createBreaker = ({ breaker = {}, name, logger }: CallGuardOptions) => {
  const failed = handleWhenResult(isFailed);
  const halfOpenAfterMs = breaker.halfOpenAfterMs ?? defaultHalfOpenAfterMs;
  const policy = circuitBreaker(failed, {
    breaker: new ConsecutiveBreaker(breaker.consecutiveFailures ?? defaultConsecutiveFailures),
    halfOpenAfter: halfOpenAfterMs,
  });
  let openedAt = 0;
  policy.onStateChange((state) => {
    if (state === CircuitState.Open) openedAt = performance.now();
    logger.warn({ collaborator: name, circuit: CircuitState[state] }, 'circuit changed');
  });
  const isAvailable = (): boolean => {
    if (policy.state === CircuitState.Closed) return true;
    // The state stays open until somebody calls: without this nobody would be the probe.
    // One more millisecond, since the policy counts whole ones.
    const isProbeDue = performance.now() - openedAt > halfOpenAfterMs + 1;
    return policy.state === CircuitState.Open && isProbeDue;
  };
  return { policy, isAvailable };
};

/**
 * Guards the calls to one collaborator, by whatever client they are made: a circuit breaker of its
 * own, retries (bounded, jittered) for calls declared safe, a log line and a metric for each attempt.
 */
export const createCallGuard = (options: CallGuardOptions): CallGuard => {
  const { name, timeoutMs, logger, observe = () => {}, timers = createTimers() } = options;
  const breaker = createBreaker(options);

  const attemptOnce = async <T>(attempt: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    try {
      return await breaker.policy.execute(attempt);
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      return refused(CIRCUIT_OPEN, `${name} has failed repeatedly and is left alone`);
    }
  };

  const attemptAndTell = async <T>(call: GuardedCall<T>): Promise<Outcome<T>> => {
    const startedAt = performance.now();
    const attempt = await attemptOnce(call.attempt);
    const ms = performance.now() - startedAt;
    const { operation, describeAnswer = () => ({}) } = call;
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
    // A call that used up its time is not repeated: the caller waits for two limits at most. The
    // clock alone can't tell: on a busy event loop a timer fires early.
    if (attempt.kind === 'unknown' && attempt.reason === TIMED_OUT) return false;
    return performance.now() - startedAt < timeoutMs;
  };

  return {
    async call(call) {
      const startedAt = performance.now();
      let attempt = await attemptAndTell(call);
      for (let count = 1; count < maxAttempts && call.safe; count += 1) {
        if (!mayRepeat(attempt, startedAt)) break;
        await timers.sleep(backoffMs(count));
        attempt = await attemptAndTell(call);
      }
      return attempt;
    },
    isAvailable: breaker.isAvailable,
  };
};
