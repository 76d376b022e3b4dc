/** The parts of an answer that concern the rate limit. */
export interface LimitAnswer {
  readonly status: number;
  readonly isRefused: boolean;
  /** True for the limit's refusal, or for a status that the route itself answers. */
  readonly isExpected: boolean;
  /**
   * The remaining requests, and below the seconds until the window ends, from the header
   * `RateLimit`.
   */
  readonly remaining: number | undefined;
  readonly resetSeconds: number | undefined;
  /** The limit, and below the length of the window, from the header `RateLimit-Policy`. */
  readonly quota: number | undefined;
  readonly windowSeconds: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** `error.code` of the envelope, if the body is an envelope with a request id. */
  readonly errorCode: string | undefined;
}

interface RawAnswer {
  readonly status: number;
  /** The statuses that the route may answer with. */
  readonly expected: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const headerOf = (headers: RawAnswer['headers'], name: string): string =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '';

/** Returns the integer of a parameter such as `; r=99` of a structured field. */
const parameter = (field: string, name: string): number | undefined => {
  const digits = new RegExp(`^"[^"]+".*;\\s*${name}=(\\d{1,9})(?:;|$|\\s)`).exec(field)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const errorCodeOf = (body: unknown): string | undefined => {
  if (typeof body !== 'string') return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const error = isRecord(parsed) ? parsed['error'] : undefined;
  if (!isRecord(error) || typeof error['requestId'] !== 'string') return undefined;
  return typeof error['code'] === 'string' ? error['code'] : undefined;
};

/** Reads the rate limit's parts of an answer. A missing header is undefined. */
export const readLimitAnswer = ({ status, expected, headers, body }: RawAnswer): LimitAnswer => {
  const state = headerOf(headers, 'ratelimit');
  const policy = headerOf(headers, 'ratelimit-policy');
  const retryAfter = headerOf(headers, 'retry-after');
  return {
    status,
    isRefused: status === 429,
    isExpected: status === 429 || expected.includes(status),
    remaining: parameter(state, 'r'),
    resetSeconds: parameter(state, 't'),
    quota: parameter(policy, 'q'),
    windowSeconds: parameter(policy, 'w'),
    retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined,
    errorCode: errorCodeOf(body),
  };
};

const isWithin = (value: number | undefined, from: number, to: number): boolean =>
  value !== undefined && value >= from && value <= to;

/** Returns true when `RateLimit` and `RateLimit-Policy` exist and have this limit and window. */
export const hasLimitHeaders = (
  answer: LimitAnswer,
  limit: number,
  windowSeconds: number,
): boolean =>
  answer.quota === limit &&
  answer.windowSeconds === windowSeconds &&
  isWithin(answer.remaining, 0, answer.isRefused ? 0 : limit - 1) &&
  isWithin(answer.resetSeconds, 0, windowSeconds);

/** Returns true when `Retry-After` exists and is not longer than a window. */
export const hasRetryAfter = (answer: LimitAnswer, windowSeconds: number): boolean =>
  isWithin(answer.retryAfterSeconds, 1, windowSeconds);
