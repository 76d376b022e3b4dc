import { expect, it } from 'vitest';
import { toAppError } from '../http/error-middleware.ts';
import { invariant } from './invariant.ts';

it('an invariant passes for what holds, zero and empty text included', () => {
  for (const value of [true, 0, '', 0n, {}]) {
    expect(() => invariant(value, 'never')).not.toThrow();
  }
});

it.each([false, undefined, null])('throws for %s, as a reported error of ours', (value) => {
  let thrown: unknown;
  try {
    invariant(value, 'a locked payout has a sale');
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ name: 'InvariantError', message: 'a locked payout has a sale' });
  expect(toAppError(thrown)).toMatchObject({ code: 'INTERNAL', status: 500, reportable: true });
});
