import { createCallGuard } from './create-call-guard.ts';
import { createSender } from './create-sender.ts';
import type { HttpClient, HttpClientOptions } from './http-client.types.ts';

/**
 * The one way out over HTTP: every limit set, a circuit breaker of its own for each collaborator,
 * retries (bounded, jittered) for calls declared safe, the request id passed on. Logs and metrics
 * carry the operation, the outcome and the time: never an address, a header or a body.
 *
 * Outcomes: an answer below 500 is `done`; a connection that never came about, or an open circuit,
 * is `refused`, for nothing was sent; all else after connecting is `unknown`.
 */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const sender = createSender(options);
  const guard = createCallGuard(options);
  return {
    request: (request) =>
      guard.call({
        operation: request.operation,
        safe: request.safe,
        attempt: () => sender.send(request),
        describeAnswer: ({ status }) => ({ status }),
      }),
    isAvailable: () => guard.isAvailable(),
    close: () => sender.close(),
  };
};
