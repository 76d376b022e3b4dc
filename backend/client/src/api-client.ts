import createFetchClient from 'openapi-fetch';
import type { PathsWithMethod, SuccessResponseJSON } from 'openapi-typescript-helpers';
import { ApiError, ApiUnreachableError } from './api-error.ts';

export interface ApiClientOptions {
  /** The root address of the API, without a path. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /**
   * The client address by which the API limits rates. It is sent as `X-Forwarded-For`, which the API
   * uses only if it trusts a proxy in front of it.
   */
  readonly clientAddress?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Limits the time from the request to the end of the response. The default is a minute. */
  readonly timeoutMs?: number;
  /** Cancels the running request. */
  readonly signal?: AbortSignal;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A successful response. Calls throw on every other result. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

type PathInput<Op> = Op extends { parameters: { path: infer P } } ? { path: P } : { path?: never };

type QueryInput<Op> = Op extends { parameters: { query?: infer Q } } ? { query?: Q } : object;

type BodyInput<Op> = Op extends { requestBody?: undefined }
  ? { body?: never }
  : Op extends { requestBody: { content: { 'application/json': infer B } } }
    ? { body: B }
    : Op extends { requestBody?: { content: { 'application/json': infer B } } }
      ? { body?: B }
      : { body?: unknown };

type Input<Op> = PathInput<Op> &
  QueryInput<Op> &
  BodyInput<Op> & { readonly headers?: Readonly<Record<string, string>> };

/** The input may be omitted if the operation requires no input. */
type InputArgument<Op> = object extends Input<Op> ? [input?: Input<Op>] : [input: Input<Op>];

type BodyOf<Op> = Op extends object ? SuccessResponseJSON<Op> : never;

type Operation<Paths, Path extends keyof Paths, M extends Method> = M extends keyof Paths[Path]
  ? Paths[Path][M]
  : never;

type Call<Paths extends object, M extends Method> = <Path extends PathsWithMethod<Paths, M>>(
  path: Path,
  ...input: InputArgument<Operation<Paths, Path, M>>
) => Promise<Answer<BodyOf<Operation<Paths, Path, M>>>>;

/**
 * A client of an API, typed by the API's OpenAPI document. Each call returns a successful response.
 * @throws ApiError if the API refuses the call or a success is not JSON, and ApiUnreachableError if
 *   there is no response.
 */
export type ApiClient<Paths extends object> = { readonly [M in Method]: Call<Paths, M> } & {
  /** Returns a client in which these options, such as a token, replace the earlier ones. */
  with(options: Partial<ApiClientOptions>): ApiClient<Paths>;
};

/** The input of any call. The `Call` type has already checked it against the operation. */
interface AnyInput {
  readonly path?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const defaultTimeoutMs = 60_000;

const signalOf = ({ signal, timeoutMs = defaultTimeoutMs }: ApiClientOptions): AbortSignal => {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Creates a client of an API. `Paths` are the types generated from the API's OpenAPI document. */
export const createApiClient = <Paths extends object>(
  options: ApiClientOptions,
): ApiClient<Paths> => {
  const { baseUrl, token, clientAddress } = options;
  const client = createFetchClient<Record<string, Record<Method, object>>>({
    baseUrl,
    headers: {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(clientAddress !== undefined && { 'x-forwarded-for': clientAddress }),
      ...options.headers,
    },
    // A redirect would carry the token elsewhere.
    redirect: 'manual',
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  });

  const call = async (method: Method, path: string, input: AnyInput = {}) => {
    const { path: pathParameters, query, body, headers } = input;
    const sent = {
      params: { path: pathParameters, query },
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headers }),
      parseAs: 'text',
      signal: signalOf(options),
    } as const;
    const { data, error, response } = await client
      .request(method, path, sent as Record<string, unknown>)
      .catch((reason: unknown) => {
        throw new ApiUnreachableError(baseUrl, reason);
      });
    const called = { call: `${method.toUpperCase()} ${path}`, baseUrl };
    if (!response.ok) throw new ApiError(called, response, error);
    const text = typeof data === 'string' ? data : '';
    const parsed = parseJson(text);
    if (text !== '' && parsed === undefined) throw new ApiError(called, response, undefined);
    return { status: response.status, headers: response.headers, body: parsed };
  };

  const bind = (method: Method) => (path: string, input?: AnyInput) => call(method, path, input);
  const calls = {
    get: bind('get'),
    post: bind('post'),
    put: bind('put'),
    patch: bind('patch'),
    delete: bind('delete'),
    with: (more: Partial<ApiClientOptions>) => createApiClient<Paths>({ ...options, ...more }),
  };
  return calls as ApiClient<Paths>; // `Paths` has the calls' types
};
