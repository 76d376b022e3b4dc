import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSigned } from './webhook-signature.ts';

const message = Buffer.from('{"amount":170.00}');
const sign = (secret: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', secret).update(message).digest(encoding);

describe.each(['hex', 'base64'] as const)('a signature in %s', (encoding) => {
  const check = (signature: unknown, secrets: readonly string[]) =>
    isSigned({ message, signature, encoding, secrets });

  test('is valid under any current secret', () => {
    expect(check(sign('one', encoding), ['one', 'two'])).toBe(true);
    expect(check(sign('two', encoding), ['one', 'two'])).toBe(true);
  });

  test('is not valid under another secret, or without secrets', () => {
    expect(check(sign('three', encoding), ['one', 'two'])).toBe(false);
    expect(check(sign('one', encoding), [])).toBe(false);
  });

  test.each([undefined, null, 7, '', 'zz', ['a']])('%j is none', (signature) => {
    expect(check(signature, ['one'])).toBe(false);
  });

  test('with additional characters is not valid', () => {
    const signature = sign('one', encoding);
    for (const text of [` ${signature}`, `${signature} `, `${signature}!!`, `${signature}\n`]) {
      expect(check(text, ['one'])).toBe(false);
    }
  });
});
