import { makeUpNumbers } from '../demo-numbers.ts';
import type { Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';

/**
 * A refresh token is good for one exchange; after the logout neither token is good for anything.
 */
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
