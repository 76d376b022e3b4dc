import type { Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';

/** Signs in on a second device with the MPIN, which the first device is told of and can end. */
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
