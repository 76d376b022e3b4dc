import type { z } from 'zod';
import { EnvHttpProxyAgent, request as send } from 'undici';
import { done, refused, unknown, type Outcome } from '../outcome/outcome.ts';
import { currentRequestId } from '../http/request-scope.ts';
import {
  NOT_AUTHORISED,
  RATE_LIMITED,
  errorCode,
  isConnectFailure,
  NOT_SENT,
  TIMED_OUT,
  UNFIT_PATH,
  createCallGuard,
  type CallGuardOptions,
} from './create-call-guard.ts';
import { parseLosslessJson, printLosslessJson } from './lossless-json.ts';

export interface HttpClientOptions extends CallGuardOptions {
  /** Scheme, host and an optional path that goes before every request's. */
  readonly baseUrl: string;
  /** Sent with every request. Credentials belong here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The value of `x-request-id`. By default it is the id of the request being served. */
  readonly requestId?: () => string | undefined;
  readonly maxResponseBytes?: number;
}

export interface HttpRequest {
  /** The name of the operation in logs and metrics. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Begins with a slash. What comes from outside is encoded by the caller. A path in which a
   * segment is empty or nothing but dots is refused (`UNFIT_PATH`). */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body. A `LosslessNumber` in it is printed digit by digit. */
  readonly json?: unknown;
  /** A body of another kind. */
  readonly body?: { readonly bytes: string | Uint8Array; readonly contentType: string };
  /** Only a call declared safe to repeat is ever repeated. */
  readonly safe: boolean;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. A repeated header is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body with its numbers kept as text (`LosslessNumber`), or undefined when it isn't JSON. */
  readonly json: unknown;
}

export interface HttpClient {
  /**
   * Makes a call. `done` has any answer below 500 except 408. This includes the collaborator's
   * refusals, which the adapter reads. A network failure is an outcome and never thrown.
   */
  request(request: HttpRequest): Promise<Outcome<HttpResponse>>;
  /**
   * Returns false while the circuit is open, so that a caller with a choice can use another
   * collaborator. It is true again when a probe is due. It makes no call.
   */
  isAvailable(): boolean;
  close(): Promise<void>;
}

const defaultMaxResponseBytes = 1_048_576;
const connectTimeoutMs = 3_000;
const connections = 64;
// It is below the five seconds after which many servers drop an idle connection. A request written
// into a connection that is just being dropped would have an unknown outcome without need.
const keepAliveMs = 2_000;

interface Sender {
  /** Makes an attempt, without retries or breaker. */
  send(request: HttpRequest): Promise<Outcome<HttpResponse>>;
  close(): Promise<void>;
}

const addressOf = (baseUrl: string, { path, query = {} }: HttpRequest): string => {
  const search = new URLSearchParams(query).toString();
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
};

const bodyOf = ({ json, body }: HttpRequest) => {
  if (json !== undefined) {
    return { body: printLosslessJson(json), headers: { 'content-type': 'application/json' } };
  }
  if (body === undefined) return { body: null, headers: {} };
  const { bytes, contentType } = body;
  return {
    body: typeof bytes === 'string' ? bytes : Buffer.from(bytes),
    headers: { 'content-type': contentType },
  };
};

const flatten = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/**
 * Returns true for a status that answers the request. A 5xx or 408 does not say whether the request
 * had an effect.
 */
const isAnswer = (status: number): boolean => status < 500 && status !== 408;

/** Sends single requests with every limit set. */
const createSender = (options: HttpClientOptions): Sender => {
  const { baseUrl, timeoutMs, headers: commonHeaders = {} } = options;
  const { requestId = currentRequestId } = options;
  const connectTimeout = Math.min(connectTimeoutMs, timeoutMs);
  // Uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY. It connects directly if they name no proxy.
  const agent = new EnvHttpProxyAgent({
    connections,
    pipelining: 1,
    connectTimeout,
    connect: { timeout: connectTimeout },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: 16_384,
    maxResponseSize: options.maxResponseBytes ?? defaultMaxResponseBytes,
  });

  const attempt = async (
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<Outcome<HttpResponse>> => {
    const { body, headers } = bodyOf(request);
    const id = requestId();
    const response = await send(addressOf(baseUrl, request), {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...commonHeaders,
        ...(id === undefined ? {} : { 'x-request-id': id }),
        ...request.headers,
      },
      body,
      dispatcher: agent,
      signal,
    });
    const text = await response.body.text();
    if (!isAnswer(response.statusCode)) return unknown(`HTTP_${response.statusCode}`);
    return done({
      status: response.statusCode,
      headers: flatten(response.headers),
      text,
      json: parseLosslessJson(text),
    });
  };

  return {
    async send(request) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return await attempt(request, signal);
      } catch (error) {
        const code = errorCode(error);
        if (isConnectFailure(error)) return refused(NOT_SENT, `no connection: ${code}`);
        return unknown(signal.aborted ? TIMED_OUT : code);
      }
    },
    close: () => agent.destroy(),
  };
};

/**
 * Returns true for a path that leads elsewhere than it appears to. `.` and `..`, also encoded,
 * change the path, and an empty segment turns the request for an object into a request for the
 * whole list.
 */
const isUnfit = (path: string): boolean =>
  path
    .slice(1)
    .split('/')
    .some((segment) => /^(?:\.|%2e){0,2}$/i.test(segment));

/**
 * Creates the client for HTTP requests to a collaborator. Every limit is set, each collaborator has
 * a separate circuit breaker, calls declared safe are retried (bounded, jittered), and the request
 * id is passed on. Logs and metrics carry the operation, the outcome and the time, but never an
 * address, a header or a body.
 *
 * Outcomes: an answer below 500 is `done`. A connection that was never established, or an open
 * circuit, is `refused`, since nothing was sent. Every other failure after connecting is `unknown`.
 */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const sender = createSender(options);
  const guard = createCallGuard(options);
  return {
    async request(request) {
      if (isUnfit(request.path.split('?')[0] ?? '')) {
        return refused(UNFIT_PATH, 'a value of the request is not a valid path segment');
      }
      return guard.call({
        operation: request.operation,
        safe: request.safe,
        attempt: () => sender.send(request),
        describeAnswer: ({ status }) => ({ status }),
      });
    },
    isAvailable: () => guard.isAvailable(),
    close: () => sender.close(),
  };
};

/** The reason of an answer that arrived but can't be read. */
export const UNREADABLE = 'UNREADABLE_ANSWER';

/**
 * Reads a 2xx body by its schema. Status 429, 401 and 403 are refusals of the call. Every other
 * status goes to `readRefusal`. If `readRefusal` can't read it either (undefined), or a 2xx body
 * does not match the schema, the outcome is unknown, since an answer that can't be read proves
 * nothing.
 */
export const readAnswer = <T>(
  response: HttpResponse,
  schema: z.ZodType<T>,
  readRefusal: (response: HttpResponse) => Outcome<never> | undefined,
): Outcome<T> => {
  const { status } = response;
  if (status >= 200 && status < 300) {
    const parsed = schema.safeParse(response.json);
    return parsed.success ? done(parsed.data) : unknown(UNREADABLE);
  }
  if (status === 429) return refused(RATE_LIMITED, 'too many calls');
  if (status === 401 || status === 403) {
    return refused(NOT_AUTHORISED, `our credential was turned away: ${status}`);
  }
  return readRefusal(response) ?? unknown(`${UNREADABLE}_${status}`);
};
