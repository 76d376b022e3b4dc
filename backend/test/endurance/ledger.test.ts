import { ApiError } from '@digital-gold/client';
import { expect, it } from 'vitest';
import { createLedger, isUndecided, type Placed } from './ledger.ts';
import { sendPlaced } from './load.ts';

const refusal = (status: number, code: string): ApiError => {
  const call = { call: 'POST /v1/gold/sell', baseUrl: 'http://127.0.0.1' };
  return new ApiError(call, new Response(null, { status }), { error: { code, message: 'no' } });
};

const refuse = () => Promise.reject(refusal(503, 'SELL_UNDER_REVIEW'));

it.each([
  ['sale', 502, 'PROVIDER_UNAVAILABLE', false],
  ['buy', 502, 'PROVIDER_UNAVAILABLE', true],
  ['sale', 503, 'SELL_UNDER_REVIEW', true],
  ['sale', 502, 'PROVIDER_REFUSED', false],
  ['buy', 503, 'PAYMENTS_DISABLED', false],
  ['sale', 400, 'INSUFFICIENT_BALANCE', false],
] as const)(
  'the ledger takes the answer of a %s, %d %s, for undecided: %s',
  (kind, status, code, is) => {
    expect(isUndecided(kind, refusal(status, code))).toBe(is);
  },
);

it('the ledger sends what is open again in turn', async () => {
  const ledger = createLedger();
  const placed = ['first', 'second'].map((): Placed => ({ kind: 'sale', send: refuse, tries: 0 }));
  for (const one of placed) await sendPlaced(ledger, one);
  const tries = async (): Promise<readonly number[]> => {
    const [waiting] = ledger.open;
    if (waiting !== undefined) await sendPlaced(ledger, waiting);
    return placed.map((one) => one.tries);
  };
  expect(await tries()).toEqual([2, 1]);
  expect(await tries()).toEqual([2, 2]);
});
