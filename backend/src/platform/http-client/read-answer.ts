import type { z } from 'zod';
import { done, refused, unknown, type Outcome } from '../outcome/outcome.ts';
import type { HttpResponse } from './http-client.types.ts';
import { NOT_AUTHORISED, RATE_LIMITED } from './transport-refusals.ts';

/** The reason of an answer that came, but says nothing that can be read. */
export const UNREADABLE = 'UNREADABLE_ANSWER';

/**
 * Reads a 2xx body by its schema. Every other status goes to `readRefusal`; where that makes
 * nothing of it either (undefined), and for a body that the schema doesn't know, the outcome is
 * unknown: an answer that can't be read proves neither.
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
