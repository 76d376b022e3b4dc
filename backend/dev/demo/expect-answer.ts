import { ApiError, type Answer } from '@digital-gold/client';
import { expectThat } from './step-failure.ts';

/**
 * Checks that the call succeeds with this status, and returns its body. Use it for a call that has
 * several success statuses.
 */
export const expectStatus = async <Body>(
  status: number,
  call: Promise<Answer<Body>>,
): Promise<Body> => {
  const answer = await call;
  expectThat(
    answer.status === status,
    `the answer is ${answer.status}; the story expects ${status}`,
  );
  return answer.body;
};

/** Expects the API to refuse the call with this status and code. */
export const expectRefusal = async (
  status: number,
  code: string,
  call: Promise<Answer<unknown>>,
): Promise<void> => {
  const expected = `the story expects ${status} ${code}`;
  const outcome = await call.catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
  expectThat(outcome instanceof ApiError, `the answer is ${outcome.status}; ${expected}`);
  const isExpected = outcome.status === status && outcome.code === code;
  expectThat(isExpected, `${describeRefusal(outcome)}; ${expected}`);
};

/**
 * Describes a refusal by the call, the status and the API's text. If the API sent a code, the
 * message has the code and the request's id too.
 */
export const describeRefusal = ({ call, status, code, message, requestId }: ApiError): string =>
  code === undefined
    ? `${call} answered ${status}: ${message}`
    : `${call} answered ${status} ${code}: ${message} (request ${requestId ?? 'unknown'})`;
