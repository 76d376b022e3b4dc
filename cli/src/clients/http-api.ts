import { z } from 'zod';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';

/** An API's refusal. */
interface Refusal {
  readonly status: number;
  /** The stable code of its error table; undefined when the body is not an API's error. */
  readonly code: string | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

const exitCodeOf = (status: number): ExitCode =>
  status === 401 || status === 403 ? exitCodes.denied : exitCodes.failed;

const hintOf = (refusal: Refusal): string | undefined => {
  const { code, retryAfterSeconds, requestId } = refusal;
  if (code === 'UNAUTHENTICATED') return 'Sign in with "goldctl login".';
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  return requestId === undefined ? undefined : `The logs have it under request ID ${requestId}.`;
};

/** Ends a command with an API's refusal. */
export class ApiError extends CliError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    const { status, code, message } = refusal;
    super(`${message} (${code ?? `HTTP ${status}`})`, exitCodeOf(status), hintOf(refusal));
    this.refusal = refusal;
  }
}

interface ApiRequest<T> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, such as `/v1/orders`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** The form of the response; fields that it does not name are left out. */
  readonly answer: z.ZodType<T>;
}

/** Sends a request and returns the parsed response. */
export type HttpApi = <T>(request: ApiRequest<T>) => Promise<T>;

const requestMs = 60_000;

const envelope = z.object({
  error: z.object({ code: z.string(), message: z.string(), requestId: z.string().optional() }),
});

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const refusalOf = (answer: Response, text: string): Refusal => {
  const error = envelope.safeParse(parseJson(text)).data?.error;
  const retryAfter = answer.headers.get('retry-after') ?? '';
  return {
    status: answer.status,
    code: error?.code,
    message: error?.message ?? `${new URL(answer.url).origin} did not return an API response`,
    requestId: error?.requestId,
    retryAfterSeconds: /^\d{1,9}$/u.test(retryAfter) ? Number(retryAfter) : undefined,
  };
};

const unreachable = (baseUrl: string, error: unknown): CliError => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CliError(`${baseUrl} does not answer: ${why}`, exitCodes.unreachable);
};

const urlOf = (baseUrl: string, { path, query = {} }: ApiRequest<unknown>): URL => {
  const url = new URL(path, baseUrl);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
};

const problemsOf = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`)
    .join('; ');

/**
 * Creates a client of one of the service's APIs. Its calls throw ApiError when the API refuses,
 * else CliError (unreachable, or failed for a response of another form).
 */
export const createHttpApi = (options: {
  /** Host root, without a path. */
  readonly baseUrl: string;
  readonly token?: string | undefined;
  readonly signal: AbortSignal;
}): HttpApi => {
  const { baseUrl, token, signal } = options;
  const send = async (
    request: ApiRequest<unknown>,
  ): Promise<{ answer: Response; text: string }> => {
    const headers = {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    };
    try {
      const answer = await fetch(urlOf(baseUrl, request), {
        method: request.method,
        headers,
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        // A redirect would carry the token elsewhere.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
      });
      return { answer, text: await answer.text() };
    } catch (error) {
      throw unreachable(baseUrl, error);
    }
  };
  return async (request) => {
    const { answer, text } = await send(request);
    if (!answer.ok) throw new ApiError(refusalOf(answer, text));
    const parsed = request.answer.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new CliError(
      `${request.method} ${request.path} returned an unexpected response: ${problemsOf(parsed.error)}`,
      exitCodes.failed,
      'goldctl and the API may be different versions.',
    );
  };
};

const signedIn = z.object({
  accessToken: z.string(),
  expiresIn: z.int().positive(),
  admin: z.object({ id: z.string(), email: z.string(), role: z.string() }),
});

/** Signs an operator in at the admin API. @throws ApiError when it refuses. */
export const signIn = (api: HttpApi, account: { email: string; password: string }) =>
  api({ method: 'POST', path: '/v1/auth/login', body: account, answer: signedIn });
