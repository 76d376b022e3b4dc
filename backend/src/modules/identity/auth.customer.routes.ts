import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import {
  defineRoute,
  idParams,
  noContent,
  ok,
  pageQuery,
  PUBLIC,
  type Route,
} from '../../platform/http/index.ts';
import type { createEndSession } from './end-session.ts';
import {
  presentSession,
  presentUser,
  refreshTokenBody,
  sendOtpAnswer,
  sendOtpBody,
  sessionPage,
  signInAnswer,
  verifyOtpAnswer,
  verifyOtpBody,
} from './identity.schemas.ts';
import { customerAccess, type KycStatus } from './identity.types.ts';
import type { OneTimeCodes } from './one-time-codes.ts';
import type { createRefreshSession } from './refresh-session.ts';
import { createSessionStore } from './sessions.store.ts';
import type { createSignInWithCode, SignedIn } from './sign-in-with-code.ts';

export interface AuthRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly codes: OneTimeCodes;
  readonly signInWithCode: ReturnType<typeof createSignInWithCode>;
  readonly refreshSession: ReturnType<typeof createRefreshSession>;
  readonly endSession: ReturnType<typeof createEndSession>;
  readonly kycStatusOf: (db: Db, userId: string) => Promise<KycStatus>;
}

const tags = ['auth'];

const createSignInRoutes = (deps: AuthRoutesDeps): Route[] => {
  const present = async ({ user, accessToken, refreshToken }: SignedIn) => {
    const kycStatus = await deps.kycStatusOf(deps.db, user.id);
    const { mpinSet } = user;
    return { accessToken, refreshToken, user: presentUser(user, kycStatus), mpinSet };
  };
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/send-otp',
      summary: 'Send a sign-in code by SMS',
      tags,
      access: PUBLIC,
      body: sendOtpBody,
      responses: { 200: sendOtpAnswer },
      errors: ['OTP_SEND_LIMIT', 'SMS_UNAVAILABLE'],
      handler: async ({ body }) => {
        const sent = await deps.codes.send({ phone: body.phone, purpose: 'login' });
        return ok({ sent: true, ...sent });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/verify-otp',
      summary: 'Sign in with the code; the first time makes the account',
      tags,
      access: PUBLIC,
      body: verifyOtpBody,
      responses: { 200: verifyOtpAnswer },
      errors: ['INVALID_OTP', 'OTP_LOCKED', 'ACCOUNT_UNAVAILABLE'],
      handler: async ({ body }) => {
        const { isNewUser, ...signedIn } = await deps.signInWithCode(body);
        return ok({ ...(await present(signedIn)), isNewUser });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/refresh',
      summary: 'Exchange a refresh token for a new pair',
      tags,
      access: PUBLIC,
      body: refreshTokenBody,
      responses: { 200: signInAnswer },
      errors: ['INVALID_REFRESH_TOKEN', 'ACCOUNT_UNAVAILABLE'],
      handler: async ({ body }) => ok(await present(await deps.refreshSession(body.refreshToken))),
    }),
  ];
};

const createSessionRoutes = ({ db, clock, endSession }: AuthRoutesDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/logout',
    summary: 'End the session of a refresh token',
    tags,
    access: customerAccess,
    body: refreshTokenBody,
    responses: { 204: null },
    errors: ['NOT_FOUND'],
    handler: async ({ body, principal }) => {
      await endSession.logout(principal.userId, body.refreshToken);
      return noContent();
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/sessions',
    summary: 'Active sessions, newest first',
    tags,
    access: customerAccess,
    query: pageQuery,
    responses: { 200: sessionPage },
    handler: async ({ query, principal: { userId, sessionId } }) => {
      const found = await createSessionStore(db).listLive(userId, clock.now(), query);
      const items = found.items.map((session) => presentSession(session, sessionId));
      return ok({ items, total: found.total, ...query });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    summary: 'End one session, with its biometric token',
    tags,
    access: customerAccess,
    params: idParams,
    responses: { 204: null },
    handler: async ({ params, principal }) => {
      await endSession.revoke(principal.userId, params.id);
      return noContent();
    },
  }),
];

/** `/auth` of the customer API. */
export const createAuthCustomerRoutes = (deps: AuthRoutesDeps): Route[] => [
  ...createSignInRoutes(deps),
  ...createSessionRoutes(deps),
];
