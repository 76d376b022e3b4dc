import { expect, it } from 'vitest';
import { readPriceMessage } from './price-message.ts';

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

it('reads the number of a whole message, stale or not', () => {
  expect(readPriceMessage(message)).toEqual({ seq: 41 });
  expect(readPriceMessage({ ...message, stale: true })).toEqual({ seq: 41 });
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
