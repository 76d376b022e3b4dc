import { describe, expect } from 'vitest';
import { identityTest } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { createCaller } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const it = identityTest({ clock });

let phones = 0;
const newPhone = (): string => `+9197124${String((phones += 1)).padStart(5, '0')}`;

const from = (identity: OpenIdentity, ip: string) =>
  createCaller(identity.url, { 'x-forwarded-for': ip });

describe('one phone asked for from many addresses', () => {
  it.for([['/auth/send-otp'], ['/auth/forgot-mpin']] as const)(
    'gets five codes in 15 minutes from %s, whatever the address',
    async ([path], { identity }) => {
      const phone = newPhone();
      const statuses: number[] = [];
      for (let n = 1; n <= 8; n += 1) {
        const told = await from(identity, `198.51.100.${n}`)('POST', path, { phone });
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
        from(identity, `198.51.100.${n}`)('POST', '/auth/send-otp', { phone }),
      ),
    );
    expect(told.filter(({ status }) => status === 200)).toHaveLength(5);
  });
});
