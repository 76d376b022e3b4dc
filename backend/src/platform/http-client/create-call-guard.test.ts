import { expect, test } from 'vitest';
import { errorCode, isConnectFailure } from './create-call-guard.ts';

const systemError = (code: string, syscall: string): Error =>
  Object.assign(new Error('system error'), { code, syscall });

test.each([
  systemError('ECONNREFUSED', 'connect'),
  systemError('EHOSTUNREACH', 'connect'),
  systemError('ETIMEDOUT', 'connect'),
  systemError('ENOTFOUND', 'getaddrinfo'),
  systemError('EAI_AGAIN', 'getaddrinfo'),
  Object.assign(new Error('slow to connect'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
  new AggregateError([
    systemError('ECONNREFUSED', 'connect'),
    systemError('ENETUNREACH', 'connect'),
  ]),
])('$code came before anything was sent', (error) => {
  expect(isConnectFailure(error)).toBe(true);
});

test.each([
  systemError('ECONNRESET', 'read'),
  systemError('EPIPE', 'write'),
  systemError('EHOSTUNREACH', 'read'),
  Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  new AggregateError([]),
  new AggregateError([systemError('ECONNREFUSED', 'connect'), systemError('ECONNRESET', 'read')]),
  'text',
  undefined,
])('%s proves nothing', (error) => {
  expect(isConnectFailure(error)).toBe(false);
});

test('an error is told by its code, its cause, or its name', () => {
  expect(errorCode(systemError('EPIPE', 'write'))).toBe('EPIPE');
  expect(errorCode(new Error('outer', { cause: systemError('EPIPE', 'write') }))).toBe('EPIPE');
  expect(errorCode(new TypeError('no code'))).toBe('TypeError');
  expect(errorCode(7)).toBe('UNKNOWN_ERROR');
});
