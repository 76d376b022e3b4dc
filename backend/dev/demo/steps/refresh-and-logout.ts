import { z } from 'zod';
import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { tokensWire } from '../wire.ts';

/** A refresh token is good for one exchange; after the logout neither token is good for anything. */
export const refreshAndLogout: Step = {
  title: 'The customer refreshes the session, and logs out',
  async run(demo) {
    const { api, numbers, refreshToken } = demo.recall('customer');
    const refresh = { method: 'POST', path: '/auth/refresh' } as const;
    const me = { method: 'GET', path: '/users/me' } as const;
    const visitor = demo.visitor('customer', numbers.ip);
    const { body: fresh } = await visitor.ask({
      ...refresh,
      body: { refreshToken },
      read: tokensWire,
    });
    expectThat(fresh.refreshToken !== refreshToken, 'the refresh token was not rotated');
    const renewed = api.with({ authorization: `Bearer ${fresh.accessToken}` });
    await renewed.ask({ ...me, read: z.object({ id: z.uuid() }) });
    await renewed.ask({
      method: 'POST',
      path: '/auth/logout',
      body: { refreshToken: fresh.refreshToken },
      status: 204,
      read: z.undefined(),
    });
    await renewed.refused({ ...me, status: 401, code: 'UNAUTHENTICATED' });
    await visitor.refused({
      ...refresh,
      body: { refreshToken: fresh.refreshToken },
      status: 401,
      code: 'INVALID_REFRESH_TOKEN',
    });
    return ['a new pair; after the logout both of its tokens are refused at once: 401'];
  },
};
