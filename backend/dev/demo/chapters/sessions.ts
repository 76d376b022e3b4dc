import { totpCode } from '../../../src/platform/auth/totp.ts';
import { addSeconds, createSystemClock } from '../../../src/platform/clock/clock.ts';
import { makeUpNumbers } from '../demo-numbers.ts';
import type { Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { signInCustomer, signInOperator } from '../people.ts';
import { expectThat } from '../step-failure.ts';

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

/**
 * Signs in on a second device with the MPIN. The first device is notified and can end that session.
 */
export const signInElsewhere: Step = {
  title: 'An MPIN, and a second device',
  async run(demo) {
    const { api, numbers, userId } = demo.readState('customer');
    const { phone } = numbers;
    const mpin = demo.random.digits(6);
    await api.post('/v1/auth/set-mpin', { body: { mpin } });
    const visitor = demo.visitor.customer(numbers.ip);
    const wrong = { phone, mpin: mpin === '000000' ? '111111' : '000000' };
    await expectRefusal(
      401,
      'INVALID_CREDENTIALS',
      visitor.post('/v1/auth/login-mpin', { body: wrong }),
    );
    const device = { deviceId: `demo-${demo.random.digits(8)}`, deviceName: 'Demo tablet' };
    const { body: signedIn } = await visitor.post('/v1/auth/login-mpin', {
      body: { phone, mpin, ...device },
    });
    expectThat(signedIn.user.id === userId, `the MPIN signed ${signedIn.user.id} in`);
    const tablet = visitor.with({ token: signedIn.accessToken });
    const { body: issued } = await tablet.post('/v1/auth/biometric-token', { body: {} });
    const { biometricToken } = issued;
    const finger = { body: { phone, deviceId: device.deviceId, biometricToken } };
    const { body: again } = await visitor.post('/v1/auth/login-biometric', finger);

    const { body: sessions } = await api.get('/v1/auth/sessions');
    const session = sessions.items.find(({ deviceId }) => deviceId === device.deviceId);
    expectThat(sessions.total === 2, `there are ${sessions.total} sessions`);
    const path = { id: session?.id ?? '' };
    await expectStatus(204, api.delete('/v1/auth/sessions/{id}', { path }));
    const ended = visitor.with({ token: again.accessToken });
    await expectRefusal(401, 'UNAUTHENTICATED', ended.get('/v1/users/me'));
    await expectRefusal(
      401,
      'INVALID_CREDENTIALS',
      visitor.post('/v1/auth/login-biometric', finger),
    );
    return [
      `signed in on "${device.deviceName}" with the MPIN, then with its biometric token`,
      'its session ended from the first device: both tokens are refused at once, 401',
    ];
  },
};

/** A refresh token can be exchanged once. After the logout neither token is valid. */
export const refreshAndLogout: Step = {
  title: 'The customer refreshes the session, and logs out',
  async run(demo) {
    const { userId, refreshToken } = demo.readState('customer');
    // On another network: a rate limit counts what the phone has sent from the one before.
    const visitor = demo.visitor.customer(makeUpNumbers(demo.random).ip);
    const { body: fresh } = await visitor.post('/v1/auth/refresh', { body: { refreshToken } });
    expectThat(fresh.refreshToken !== refreshToken, 'the refresh token was not rotated');
    const renewed = visitor.with({ token: fresh.accessToken });
    const { body: user } = await renewed.get('/v1/users/me');
    expectThat(user.id === userId, `the renewed session is of ${user.id}`);
    const last = { body: { refreshToken: fresh.refreshToken } };
    await expectStatus(204, renewed.post('/v1/auth/logout', last));
    await expectRefusal(401, 'UNAUTHENTICATED', renewed.get('/v1/users/me'));
    await expectRefusal(401, 'INVALID_REFRESH_TOKEN', visitor.post('/v1/auth/refresh', last));
    return ['a new pair; after the logout both of its tokens are refused at once: 401'];
  },
};

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
