import { ApiError, ApiUnreachableError } from './api-error.ts';

/**
 * Refusals that mean "not now" or "not known": the same request under the same key is safe, and is
 * answered with what the first one made.
 */
const passing: ReadonlySet<string> = new Set([
  'BUSY',
  'INTERNAL',
  'REQUEST_IN_PROGRESS',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
  'RATE_LIMITED',
]);

/**
 * Returns true for a failure after which the request may be repeated, because the outcome is
 * unknown or the API allows it.
 */
export const mayRepeat = (error: unknown): boolean => {
  if (error instanceof ApiUnreachableError) return true;
  if (!(error instanceof ApiError)) return false;
  // Something in front of the API answered, such as a proxy that lost it.
  if (error.code === undefined) return error.status >= 500;
  return passing.has(error.code);
};

export interface RepeatOptions {
  /** The key of the first try. The caller stores it if a reload must not begin again. */
  readonly key?: string;
  /** Tries in all. Five unless given. */
  readonly attempts?: number;
  /** Before the second try, doubled after each. Half a second unless given. */
  readonly firstWaitMs?: number;
  readonly wait?: (ms: number) => Promise<void>;
}

const usual = { attempts: 5, firstWaitMs: 500 } as const;
const longestWaitMs = 15_000;

const waitInTime = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const waitOf = (error: unknown, attempt: number, firstWaitMs: number): number => {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return Math.min(Math.max(asked, firstWaitMs * 2 ** (attempt - 1)), longestWaitMs);
};

/**
 * Makes a call that takes an idempotency key, and repeats it with the same key while its outcome is
 * unknown. Whatever failed in between, there is one order in the end.
 * @throws what the call throws, if it may not be repeated or was repeated often enough
 */
export const repeatWithKey = async <Result>(
  call: (key: string) => Promise<Result>,
  options: RepeatOptions = {},
): Promise<Result> => {
  const { attempts = usual.attempts, firstWaitMs = usual.firstWaitMs, wait = waitInTime } = options;
  const key = options.key ?? crypto.randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(key);
    } catch (error) {
      if (attempt >= attempts || !mayRepeat(error)) throw error;
      await wait(waitOf(error, attempt, firstWaitMs));
    }
  }
};
