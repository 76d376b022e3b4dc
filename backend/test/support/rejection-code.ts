import { toAppError } from '../../src/platform/http/error-middleware.ts';

/** Returns the error code that the work is rejected with, or undefined if it succeeds. */
export const rejectionCode = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => toAppError(error).code,
  );
