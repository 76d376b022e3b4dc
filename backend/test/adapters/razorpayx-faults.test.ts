import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';
import { newPayout, openRazorpayx } from './razorpayx-fixture.ts';

let fixture: AdapterFixture;
let provider: ReturnType<typeof openRazorpayx>;

beforeAll(async () => {
  fixture = await startAdapterFixture('razorpayx');
});
afterAll(() => fixture.sandbox.stop());
beforeEach(async () => {
  await fixture.control('DELETE', '/faults');
  // A new one for each test, so that no circuit is left open.
  provider = openRazorpayx(fixture);
});
afterEach(() => provider.close());

describe('a payout', () => {
  test.each([
    ['error', false],
    ['timeout', false],
    ['reset', false],
    ['malformed', true],
    ['accept_then_timeout', true],
    ['wrong_amount', true],
  ])('is undecided after %s and not sent twice; found: %s', async (fault, made) => {
    const asked = await newPayout(provider);
    const before = (await fixture.calls('create-payout')).length;
    await fixture.fault('create-payout', fault);
    expect(await provider.createPayout(asked)).toMatchObject({ kind: 'unknown' });
    expect(await fixture.calls('create-payout')).toHaveLength(before + 1);
    const found = valueOf(await provider.findPayoutByReference(asked.referenceId));
    expect(found !== undefined).toBe(made);
    const resent = valueOf(await provider.createPayout(asked));
    expect(resent.amountPaise).toBe(asked.amountPaise);
    const known = found?.providerPayoutId ?? resent.providerPayoutId;
    expect(resent.providerPayoutId).toBe(known);
  });

  test('that is worked at after its caller gave up is found, and made once', async () => {
    const asked = await newPayout(provider);
    const impatient = openRazorpayx(fixture, { RAZORPAYX_TIMEOUT_MS: '1500' });
    await fixture.fault('create-payout', 'slow', { delayMs: 2500 });
    expect(await impatient.createPayout(asked)).toMatchObject({ kind: 'unknown' });
    await impatient.close();
    const made = valueOf(await provider.createPayout(asked));
    await eventually(async () => {
      const [late] = (await fixture.calls('create-payout')).slice(-2);
      expect(late).toMatchObject({ status: 200, response: { id: made.providerPayoutId } });
    });
  });

  test.each([
    [401, 'NOT_AUTHORISED'],
    [429, 'RATE_LIMITED'],
  ])('that was turned away with %s was not looked at: %s', async (status, code) => {
    await fixture.fault('create-payout', 'error', { status });
    expect(await provider.createPayout(await newPayout(provider))).toMatchObject({ code });
  });

  test('is undecided after a 409', async () => {
    await fixture.fault('create-payout', 'error', { status: 409 });
    expect(await provider.createPayout(await newPayout(provider))).toMatchObject({
      kind: 'unknown',
    });
  });
});
