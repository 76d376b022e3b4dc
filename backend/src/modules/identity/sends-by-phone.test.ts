import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode } from '#test/support/open-identity.ts';
import { callFrom } from '#test/support/session-calls.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const it = identityTest({ clock });

describe('a phone for which many addresses request codes', () => {
  it.for([['/auth/send-otp'], ['/auth/forgot-mpin']] as const)(
    'gets five codes in 15 minutes from %s',
    async ([path], { identity }) => {
      const phone = newPhone();
      const statuses: number[] = [];
      for (let n = 1; n <= 8; n += 1) {
        const answer = await callFrom(identity, `198.51.100.${n}`)('POST', path, { phone });
        statuses.push(answer.status);
        if (answer.status !== 200) expect(errorCode(answer)).toBe('OTP_SEND_LIMIT');
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
      await identity.settle();
    },
  );

  it('gets five codes by twenty concurrent requests from twenty addresses', async ({
    identity,
  }) => {
    const phone = newPhone();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        callFrom(identity, `198.51.100.${n}`)('POST', '/auth/send-otp', { phone }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  });
});
