import { expect, it } from 'vitest';
import { z } from 'zod';
import { validateInput } from './route.ts';

/** Returns `details` of a body that any object satisfies. */
const issuesOf = (body: string): unknown => {
  const input = { params: {}, query: {}, parsedBody: JSON.parse(body) as unknown };
  const schemas = { params: z.object({}), query: z.object({}), body: z.object({}) };
  try {
    validateInput(schemas, input);
    return undefined;
  } catch (error) {
    return (error as { details?: unknown }).details; // an AppError
  }
};
const zeros = (count: number): string => Array.from({ length: count }, () => 0).join();
const tooMany = [{ field: 'body', message: 'must not hold more than 10000 values' }];

it.each([
  ['a list', `{"b":[${zeros(10_000)}]}`],
  ['a list of millions', `{"b":[${zeros(2_000_000)}]}`],
  ['an object', `{${Array.from({ length: 10_001 }, (_, key) => `"${key}":0`).join()}}`],
  ['many lists', `{"b":[${'[0],'.repeat(6000)}0]}`],
  ['deep nesting', `{"b":${'['.repeat(10_002)}${']'.repeat(10_002)}}`],
])('refuses a body with more values than any has: %s', (_what, body) => {
  expect(issuesOf(body)).toEqual(tooMany);
});

it('takes a body with as many values as one may have', () => {
  expect(issuesOf(`{"b":[${zeros(9999)}]}`)).toBeUndefined();
  expect(issuesOf(`{"b":${'['.repeat(9999)}${']'.repeat(9999)}}`)).toBeUndefined();
});
