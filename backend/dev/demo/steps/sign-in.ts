import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, DemoCustomer, Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';

/** Signs a new customer in with the code that came by SMS. */
export const signInCustomer = async (
  demo: Demo,
  fullName: string,
): Promise<{ customer: DemoCustomer; otp: string; validSeconds: number }> => {
  const numbers = makeUpNumbers(demo.random);
  const { phone, ip } = numbers;
  const visitor = demo.visitor.customer(ip);
  const sent = await visitor.post('/v1/auth/send-otp', { body: { phone } });
  const inbox = await demo.sandbox.get('/_control/sms', { query: { phone } });
  const otp = inbox.body.messages[0]?.otp ?? '';
  expectThat(otp !== '', `no SMS with a code came to ${phone}`);
  const device = { deviceId: `demo-${demo.random.digits(8)}`, deviceName: 'Demo phone' };
  const { body } = await visitor.post('/v1/auth/verify-otp', { body: { phone, otp, ...device } });
  expectThat(body.isNewUser, `${phone} should be a new customer's`);
  const { accessToken, refreshToken, user } = body;
  const api = visitor.with({ token: accessToken });
  const customer = { numbers, fullName, userId: user.id, accessToken, refreshToken, api };
  return { customer, otp, validSeconds: sent.body.expiresInSec };
};

/** A new customer, with a number that nobody had before. */
export const signIn: Step = {
  title: 'A new customer signs in with a one-time code',
  async run(demo) {
    const { customer, otp, validSeconds } = await signInCustomer(demo, 'Asha Rao');
    demo.saveState('customer', customer);
    return [
      `${customer.numbers.phone} was sent the code ${otp}, good for ${validSeconds} s`,
      `customer ${customer.userId}`,
    ];
  },
};
