import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';
import { signInCustomer } from './sign-in.ts';

/** Another customer leaves: the token shows that the account is gone, and the number waits. */
export const deleteAccount: Step = {
  title: 'Another customer deletes their account',
  async run(demo) {
    const { customer } = await signInCustomer(demo, 'Meera Nair');
    const { api, numbers, fullName, userId } = customer;
    const { phone } = numbers;
    await api.patch('/v1/users/me', { body: { full_name: fullName } });
    const newestCode = async (): Promise<string> => {
      const { body } = await demo.sandbox.get('/_control/sms', { query: { phone } });
      return body.messages[0]?.otp ?? '';
    };
    await api.post('/v1/users/me/deletion/request');
    const otp = await newestCode();
    const { body: gone } = await api.post('/v1/users/me/deletion/confirm', {
      body: { otp, confirmation: 'DELETE' },
    });
    const { body: status } = await api.get('/v1/users/me/deletion/status');
    expectThat(status.status === 'deleted', `the account is ${status.status}`);
    await expectRefusal(401, 'UNAUTHENTICATED', api.get('/v1/users/me'));
    const visitor = demo.visitor.customer(numbers.ip);
    await visitor.post('/v1/auth/send-otp', { body: { phone } });
    const again = visitor.post('/v1/auth/verify-otp', { body: { phone, otp: await newestCode() } });
    await expectRefusal(401, 'ACCOUNT_UNAVAILABLE', again);
    return [
      `customer ${userId} was deleted at ${gone.deletedAt}; name, number and key are gone`,
      'the number may open a new account after the cool-down, not now: 401',
    ];
  },
};
