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
import { createSender } from './create-sender.ts';
import type {
  HttpClient,
  HttpClientOptions,
  HttpRequest,
  HttpResponse,
} from './http-client.types.ts';
import { CIRCUIT_OPEN, TIMED_OUT } from './transport-refusals.ts';

const maxAttempts = 3;
const firstBackoffMs = 100;
const defaultConsecutiveFailures = 8;
const defaultHalfOpenAfterMs = 3_000;

type Attempt = Outcome<HttpResponse>;

/** "Full jitter": anything up to the doubled ceiling, so that replicas don't retry in step. */
const backoffMs = (attempt: number): number => randomInt(firstBackoffMs * 2 ** attempt) + 1;

/** Reason or code of an attempt, for the log; an answer is told by its status. */
const describe = (attempt: Attempt): object => {
  if (attempt.kind === 'done') return { status: attempt.value.status };
  return attempt.kind === 'refused' ? { code: attempt.code } : { reason: attempt.reason };
};

/** The policy's view of an attempt: it knows only that something was returned. */
const isFailed = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'kind' in result && result.kind !== 'done';

const createBreaker = ({ breaker = {}, name, logger }: HttpClientOptions) => {
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
 * The one way out over HTTP: every limit set, a circuit breaker of its own for each collaborator,
 * retries (bounded, jittered) for calls declared safe, the request id passed on. Logs and metrics
 * carry the operation, the outcome and the time: never an address, a header or a body.
 *
 * Outcomes: an answer below 500 is `done`; a connection that never came about, or an open circuit,
 * is `refused`, for nothing was sent; all else after connecting is `unknown`.
 */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const { name, timeoutMs, logger, observe = () => {}, timers = createTimers() } = options;
  const sender = createSender(options);
  const breaker = createBreaker(options);

  const attemptOnce = async (request: HttpRequest): Promise<Attempt> => {
    try {
      return await breaker.policy.execute(() => sender.send(request));
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      return refused(CIRCUIT_OPEN, `${name} has failed repeatedly and is left alone`);
    }
  };

  const attemptAndTell = async (request: HttpRequest): Promise<Attempt> => {
    const startedAt = performance.now();
    const attempt = await attemptOnce(request);
    const ms = performance.now() - startedAt;
    const { operation } = request;
    observe({ collaborator: name, operation, outcome: attempt.kind, ms });
    const fields = {
      collaborator: name,
      operation,
      outcome: attempt.kind,
      ms: Math.round(ms),
      ...describe(attempt),
    };
    if (attempt.kind === 'done') logger.debug(fields, 'collaborator answered');
    else logger.warn(fields, 'collaborator did not answer');
    return attempt;
  };

  const mayRepeat = (request: HttpRequest, attempt: Attempt, startedAt: number): boolean => {
    if (!request.safe || attempt.kind === 'done') return false;
    if (attempt.kind === 'refused' && attempt.code === CIRCUIT_OPEN) return false;
    // A call that used up its time is not repeated: the caller waits for two limits at most. The
    // clock alone can't tell: on a busy event loop a timer fires early.
    if (attempt.kind === 'unknown' && attempt.reason === TIMED_OUT) return false;
    return performance.now() - startedAt < timeoutMs;
  };

  return {
    async request(request) {
      const startedAt = performance.now();
      let attempt = await attemptAndTell(request);
      for (let count = 1; count < maxAttempts; count += 1) {
        if (!mayRepeat(request, attempt, startedAt)) break;
        await timers.sleep(backoffMs(count));
        attempt = await attemptAndTell(request);
      }
      return attempt;
    },
    isAvailable: breaker.isAvailable,
    close: () => sender.close(),
  };
};
