import { z } from 'zod';
import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { pageWire, userWire } from '../wire.ts';

const sessionsWire = pageWire(
  z.object({ deviceName: z.string().nullable(), current: z.boolean() }),
);

/** What the customer sees of themselves; KYC has not begun, so nothing can be bought. */
export const readProfile: Step = {
  title: 'The profile, and no gold without KYC',
  async run(demo) {
    const { api, numbers } = demo.recall('customer');
    const { body: user } = await api.ask({ method: 'GET', path: '/users/me', read: userWire });
    expectThat(user.phone === numbers.phone, `the profile is of ${user.phone}`);
    expectThat(user.kycStatus === 'PENDING', `KYC of a new customer reads ${user.kycStatus}`);
    const { body: sessions } = await api.ask({
      method: 'GET',
      path: '/auth/sessions',
      read: sessionsWire,
    });
    const [session] = sessions.items;
    expectThat(sessions.total === 1 && session?.current === true, 'there is not just one session');
    await api.refused({
      method: 'POST',
      path: '/gold/quote',
      body: { unit: 'INR', amount: '1000' },
      status: 403,
      code: 'KYC_REQUIRED',
    });
    return [
      `referral code ${user.referralCode}, signed in on "${session.deviceName ?? ''}"`,
      'a quote is refused: 403 KYC_REQUIRED',
    ];
  },
};
