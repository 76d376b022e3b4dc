/**
 * Returns the message of an error. A host name with several addresses fails with an error for each
 * and no message, so their messages are joined.
 */
export const explain = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(explain).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
};
