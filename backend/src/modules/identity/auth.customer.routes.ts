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
import { customerAccess, type KycStatus, type SignedIn } from './identity.types.ts';
import { sendCode } from './one-time-codes.ts';
import { listLiveSessions } from './sessions.store.ts';
import { logout, refreshSession, revokeSession } from './sessions.ts';
import { signInWithCode, type SignInWithCodeDeps } from './sign-in-with-code.ts';

export interface AuthRoutesDeps extends SignInWithCodeDeps {
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
      handler: async ({ body: { phone }, context: { ip } }) => {
        const sent = await sendCode(deps, { phone, purpose: 'login', ip });
        return ok({ sent: true, ...sent });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/verify-otp',
      summary: 'Sign in with the code; the first time creates the account',
      tags,
      access: PUBLIC,
      body: verifyOtpBody,
      responses: { 200: verifyOtpAnswer },
      errors: ['INVALID_OTP', 'OTP_LOCKED', 'ACCOUNT_UNAVAILABLE'],
      handler: async ({ body, context }) => {
        const { isNewUser, ...signedIn } = await signInWithCode(deps, body, context);
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
      handler: async ({ body, context }) =>
        ok(await present(await refreshSession(deps, body.refreshToken, context))),
    }),
  ];
};

const createSessionRoutes = (deps: AuthRoutesDeps): Route[] => [
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
      await logout(deps, principal.userId, body.refreshToken);
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
      const found = await listLiveSessions(deps.db, userId, deps.clock.now(), query);
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
      await revokeSession(deps, principal.userId, params.id);
      return noContent();
    },
  }),
];

/** Declares `/auth` of the customer API. */
export const createAuthCustomerRoutes = (deps: AuthRoutesDeps): Route[] => [
  ...createSignInRoutes(deps),
  ...createSessionRoutes(deps),
];
