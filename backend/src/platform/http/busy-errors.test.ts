import { expect, it } from 'vitest';
import { NoTurnError } from '../concurrency/turns.ts';
import { toAppError } from './error-middleware.ts';

/** An error of the database client that carries this state of the server. */
const withState = (originalCode: string): Error =>
  Object.assign(new Error('a statement failed'), {
    meta: { driverAdapterError: { cause: { originalCode } } },
  });

it.each(['55P03', '57014'])('answers %s by 503 BUSY and when to come again', (state) => {
  const error = toAppError(withState(state));
  expect([error.status, error.code]).toEqual([503, 'BUSY']);
  expect(error.headers['retry-after']).toMatch(/^\d+$/u);
});

it.each(['53000', '53100', '53200', '53300'])('answers %s by 503', (state) => {
  expect(toAppError(withState(state)).code).toBe('SERVICE_UNAVAILABLE');
});

it('the API answers a customer whose turns are all taken by 503 BUSY', () => {
  expect(toAppError(new NoTurnError('no turn')).code).toBe('BUSY');
});
