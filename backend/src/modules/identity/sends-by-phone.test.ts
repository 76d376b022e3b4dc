import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode } from '#test/support/open-identity.ts';
import { callFrom } from '#test/support/session-calls.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const it = identityTest({ clock });

describe('one phone asked for from many addresses', () => {
  it.for([['/auth/send-otp'], ['/auth/forgot-mpin']] as const)(
    'gets five codes in 15 minutes from %s, whatever the address',
    async ([path], { identity }) => {
      const phone = newPhone();
      const statuses: number[] = [];
      for (let n = 1; n <= 8; n += 1) {
        const told = await callFrom(identity, `198.51.100.${n}`)('POST', path, { phone });
        statuses.push(told.status);
        if (told.status !== 200) expect(errorCode(told)).toBe('OTP_SEND_LIMIT');
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
      await identity.settle();
    },
  );

  it('gets five of twenty that come at once from as many addresses', async ({ identity }) => {
    const phone = newPhone();
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        callFrom(identity, `198.51.100.${n}`)('POST', '/auth/send-otp', { phone }),
      ),
    );
    expect(told.filter(({ status }) => status === 200)).toHaveLength(5);
  });
});
