import { createDecipheriv, createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBodyCipher } from './safegold.encryption.ts';

const token = 'dev-only-token';

test('a sealed body opens to its text, and sealing the text again gives other bytes', () => {
  const cipher = createBodyCipher(token);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const sealed = cipher.seal(text);
      expect(cipher.open(sealed)).toBe(text);
      expect(cipher.seal(text)).not.toBe(sealed);
    }),
  );
});

test('the key is the hexadecimal text of the MD5 of the token, and the IV comes first', () => {
  const sealed = Buffer.from(createBodyCipher(token).seal('{"a":1}'), 'base64');
  const key = createHash('md5').update(token).digest('hex');
  const opening = createDecipheriv('aes-256-cbc', key, sealed.subarray(0, 16));
  const text = opening.update(sealed.subarray(16), undefined, 'utf8') + opening.final('utf8');
  expect(text).toBe('{"a":1}');
});

test('a text that is not a sealed body does not open', () => {
  const cipher = createBodyCipher(token);
  for (const text of ['', 'plain', Buffer.alloc(16).toString('base64')]) {
    expect(cipher.open(text)).toBeUndefined();
  }
  const halved = Buffer.from(cipher.seal('a body'), 'base64').subarray(0, 24);
  expect(cipher.open(halved.toString('base64'))).toBeUndefined();
});
