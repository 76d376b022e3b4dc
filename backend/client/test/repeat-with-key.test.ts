import { describe, expect, it } from 'vitest';
import { ApiError, ApiUnreachableError, mayRepeat, repeatWithKey } from '../src/index.ts';

const called = { call: 'POST /v1/gold/buy', baseUrl: 'http://api.test' };
const refusal = (status: number, code?: string, headers: Record<string, string> = {}): ApiError =>
  new ApiError(
    called,
    { status, headers: new Headers(headers) },
    code === undefined ? undefined : { error: { code, message: code } },
  );

describe('a call with a key', () => {
  it('is repeated with the same key until there is an answer', async () => {
    const failures = [
      new ApiUnreachableError('http://api.test', new TypeError('cut')),
      refusal(409, 'REQUEST_IN_PROGRESS'),
      refusal(503, 'BUSY', { 'retry-after': '3' }),
    ];
    const [keys, waits]: [string[], number[]] = [[], []];
    const result = await repeatWithKey(
      async (key) => {
        keys.push(key);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return 'one order';
      },
      { firstWaitMs: 100, wait: async (ms) => void waits.push(ms) },
    );
    expect(result).toBe('one order');
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[A-Za-z0-9._:-]{8,128}$/u);
    expect(waits).toEqual([100, 200, 3000]);
  });

  it('is given up after so many tries, with the last failure', async () => {
    let tries = 0;
    const call = repeatWithKey(
      async () => {
        tries += 1;
        throw refusal(502, 'GATEWAY_UNAVAILABLE');
      },
      { attempts: 3, wait: async () => {} },
    );
    await expect(call).rejects.toMatchObject({ code: 'GATEWAY_UNAVAILABLE' });
    expect(tries).toBe(3);
  });

  it('is not repeated where the API has decided', () => {
    const final = ['LIMIT_EXCEEDED', 'KYC_REQUIRED', 'QUOTE_USED', 'PAYMENTS_DISABLED'];
    expect(final.map((code) => mayRepeat(refusal(400, code)))).toEqual(final.map(() => false));
    expect(mayRepeat(refusal(503, 'SELL_UNDER_REVIEW'))).toBe(false);
    expect(mayRepeat(new Error('a mistake of ours'))).toBe(false);
    // A proxy that answers in place of the API.
    expect([502, 404].map((status) => mayRepeat(refusal(status)))).toEqual([true, false]);
  });
});
