import { expect, it } from 'vitest';
import { isFresh, readPriceMessage } from './price-message.ts';

const message = {
  buyPaise: 1_233_666,
  sellPaise: 1_196_656,
  spotPaise: 1_215_161,
  currency: 'INR',
  unit: 'GRAM',
  source: 'PROVIDER',
  asOf: '2026-11-21T21:58:50.000Z',
  seq: 41,
};

it('reads a whole message, stale or not', () => {
  const read = {
    seq: 41,
    amounts: '1233666 1196656 1215161',
    asOfMs: Date.UTC(2026, 10, 21, 21, 58, 50),
    isStale: false,
    hasRightSpread: true,
  };
  expect(readPriceMessage(message)).toEqual(read);
  expect(readPriceMessage({ ...message, stale: true })).toEqual({ ...read, isStale: true });
});

it('takes a price for fresh that was asked for a moment ago and is not stale', () => {
  const asOfMs = 1000;
  const read = { seq: 1, amounts: '1', asOfMs, isStale: false, hasRightSpread: true };
  expect(isFresh(read, asOfMs + 99, 100)).toBe(true);
  expect(isFresh(read, asOfMs - 99, 100)).toBe(true);
  expect(isFresh(read, asOfMs + 100, 100)).toBe(false);
  expect(isFresh({ ...read, isStale: true }, asOfMs, 100)).toBe(false);
});

it.each([
  ['a sell above the buy', { buyPaise: 1_196_656, sellPaise: 1_233_666 }, false],
  ['a sell above the spot', { sellPaise: 1_215_162 }, false],
  ['a buy below the spot', { buyPaise: 1_215_160 }, false],
  ['no spread at all', { buyPaise: 1_215_161, sellPaise: 1_215_161 }, true],
])('sees which way round the spread is: %s', (_what, amounts, isRight) => {
  expect(readPriceMessage({ ...message, ...amounts })?.hasRightSpread).toBe(isRight);
});

it.each(Object.keys(message))('refuses a message without %s', (field) => {
  expect(readPriceMessage({ ...message, [field]: undefined })).toBeUndefined();
});

it.each([
  ['text for an amount', { ...message, buyPaise: '1233666' }],
  ['a part of a paisa', { ...message, sellPaise: 1.5 }],
  ['no amount at all', { ...message, spotPaise: 0 }],
  ['another currency', { ...message, currency: 'USD' }],
  ['a time without a zone', { ...message, asOf: '2026-11-21 21:58:50' }],
  ['a seq of nothing', { ...message, seq: 0 }],
  ['no object', 'price'],
  ['null', null],
])('refuses %s', (_what, data) => {
  expect(readPriceMessage(data)).toBeUndefined();
});
