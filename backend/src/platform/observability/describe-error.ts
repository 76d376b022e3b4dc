import { scrubText } from './scrub-text.ts';

export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

const maxCauses = 4;

const codeOf = (error: Error): string | undefined => {
  if (!('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
};

/** Returns the frames alone: the head repeats the message, which is scrubbed separately. */
const framesOf = (error: Error): string | undefined =>
  error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /u.test(line))
    .join('\n');

/**
 * Describes an error for a log: type, message, code, stack and causes. Other properties are
 * left out: drivers put values of rows there (`detail`, `meta`).
 */
export const describeError = (error: unknown, causes = maxCauses): ErrorDescription => {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: scrubText(String(error)).slice(0, 2000) };
  }
  const code = codeOf(error);
  const stack = framesOf(error);
  return {
    type: error.name,
    message: scrubText(error.message).slice(0, 2000),
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
    ...(error.cause !== undefined &&
      causes > 0 && { cause: describeError(error.cause, causes - 1) }),
  };
};
