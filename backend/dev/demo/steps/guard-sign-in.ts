import { totpCode } from '../../../src/platform/auth/totp.ts';
import { addSeconds, createSystemClock } from '../../../src/platform/clock/clock.ts';
import { makeUpNumbers } from '../demo-numbers.ts';
import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';
import { signInOperator } from './sign-in-operator.ts';

/** Sets up an authenticator app, signs in with it, and has a super admin take it away. */
export const guardSignIn: Step = {
  title: 'An operator sets up an authenticator app, and loses the phone',
  async run(demo) {
    const account = demo.endpoints.admins.SUPPORT;
    const visitor = demo.visitor.admin(makeUpNumbers(demo.random).ip);
    const logIn = (code?: string) =>
      visitor.post('/v1/auth/login', {
        body: { ...account, ...(code !== undefined && { code }) },
      });
    const { operator } = await signInOperator(demo, 'SUPPORT');
    const { operator: boss } = await signInOperator(demo, 'SUPER_ADMIN');
    const password = { body: { password: account.password } };
    const { secret } = (await operator.api.post('/v1/auth/second-factor/enrol', password)).body;
    // People's phones are on real time, wherever business time was moved to.
    const now = createSystemClock().now();
    try {
      const first = { body: { code: totpCode(secret, now) } };
      const { body } = await operator.api.post('/v1/auth/second-factor/confirm', first);
      expectThat(body.recoveryCodes.length === 10, 'there are not ten recovery codes');
      await expectRefusal(401, 'UNAUTHENTICATED', operator.api.get('/v1/auth/second-factor'));
      await expectRefusal(401, 'SECOND_FACTOR_REQUIRED', logIn());
      const next = totpCode(secret, addSeconds(now, 30));
      await logIn(next);
      await expectRefusal(403, 'SECOND_FACTOR_INVALID', logIn(next));
      await logIn(body.recoveryCodes[0]);
    } finally {
      await boss.api.post('/v1/operators/{id}/second-factor/disable', {
        path: { id: operator.adminId },
        body: { reason: 'Lost the phone. Called back on the number that we have.' },
      });
    }
    await logIn();
    return [
      `${operator.email} signs in with password and code; no code is taken twice`,
      'a recovery code stands for the phone once; a super admin takes the app away',
    ];
  },
};
