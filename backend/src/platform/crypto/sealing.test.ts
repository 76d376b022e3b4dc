import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBytes, openText, SealError, sealBytes, sealText } from './sealing.ts';

const key = { id: 'k1', bytes: randomBytes(32) };
const place = fc.record({
  purpose: fc.stringMatching(/^[a-z-]{1,12}$/u),
  column: fc.stringMatching(/^[a-z_]{1,12}\.[a-z_]{1,12}$/u),
  row: fc.string(),
});
const text = fc.string({ unit: 'binary' });

describe('sealing', () => {
  it('opens to what was sealed, where it was sealed', () => {
    fc.assert(
      fc.property(text, place, (plain, context) => {
        expect(openText(key, sealText(key, plain, context), context)).toBe(plain);
      }),
    );
  });

  it('opens nowhere else', () => {
    fc.assert(
      fc.property(text, place, place, (plain, context, other) => {
        fc.pre(JSON.stringify(context) !== JSON.stringify(other));
        const sealed = sealText(key, plain, context);
        expect(() => openText(key, sealed, other)).toThrow(SealError);
      }),
    );
  });

  it('refuses bytes with any bit changed', () => {
    const context = { purpose: 'p', column: 't.c', row: 'r' };
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), fc.nat(7), (plain, position, bit) => {
        const sealed = sealBytes(key, plain, context);
        const at = position % sealed.length;
        sealed[at] = (sealed[at] ?? 0) ^ (1 << bit);
        expect(() => openBytes(key, sealed, context)).toThrow(SealError);
      }),
    );
  });

  it('refuses a place that could be mistaken for another', () => {
    const context = { purpose: 'a|b', column: 't.c', row: 'r' };
    expect(() => sealText(key, 'x', context)).toThrow(SealError);
  });
});
