import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';

/** Reads the new customer's profile, and checks that they cannot buy before KYC is approved. */
export const readProfile: Step = {
  title: 'The profile, and no gold without KYC',
  async run(demo) {
    const { api, numbers } = demo.readState('customer');
    const { body: user } = await api.get('/v1/users/me');
    expectThat(user.phone === numbers.phone, `the profile is of ${user.phone}`);
    expectThat(user.kycStatus === 'PENDING', `KYC of a new customer reads ${user.kycStatus}`);
    const { body: sessions } = await api.get('/v1/auth/sessions');
    const [session] = sessions.items;
    expectThat(sessions.total === 1 && session?.current === true, 'there is not just one session');
    const body = { unit: 'INR', amount: '1000' } as const;
    await expectRefusal(403, 'KYC_REQUIRED', api.post('/v1/gold/quote', { body }));
    return [
      `referral code ${user.referralCode}, signed in on "${session.deviceName ?? ''}"`,
      'a quote is refused: 403 KYC_REQUIRED',
    ];
  },
};
