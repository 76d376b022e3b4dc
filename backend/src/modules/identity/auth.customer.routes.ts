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
import { issueBiometricToken, signInWithBiometric, type BiometricDeps } from './biometric.ts';
import { resetMpin, setMpin, type ChangeMpinDeps } from './change-mpin.ts';
import type { ForgotMpin } from './forgot-mpin.ts';
import {
  biometricSignInBody,
  biometricTokenAnswer,
  biometricTokenBody,
  mpinSignInBody,
  mpinUpdated,
  presentSession,
  presentUser,
  refreshTokenBody,
  resetMpinBody,
  sendOtpAnswer,
  sendOtpBody,
  sessionPage,
  setMpinBody,
  signInAnswer,
  verifyOtpAnswer,
  verifyOtpBody,
} from './identity.schemas.ts';
import { customerAccess, type KycStatus, type SignedIn } from './identity.types.ts';
import { sendCode, type OneTimeCodesDeps } from './one-time-codes.ts';
import { listSessions } from './listed-sessions.store.ts';
import { logout, refreshSession, revokeSession } from './sessions.ts';
import { signInWithMpin, type SignInWithMpinDeps } from './sign-in-with-mpin.ts';
import { signInWithCode, type SignInWithCodeDeps } from './sign-in-with-code.ts';

export interface AuthRoutesDeps
  extends OneTimeCodesDeps, SignInWithCodeDeps, SignInWithMpinDeps, ChangeMpinDeps, BiometricDeps {
  readonly findKycStatus: (db: Db, userId: string) => Promise<KycStatus>;
  readonly forgotMpin: ForgotMpin;
}

const tags = ['auth'];

/** Creates the function that makes the response of every sign-in and refresh. */
const createPresenter =
  ({ db, findKycStatus }: Pick<AuthRoutesDeps, 'db' | 'findKycStatus'>) =>
  async ({ user, accessToken, refreshToken }: SignedIn) => {
    const kycStatus = await findKycStatus(db, user.id);
    const { mpinSet } = user;
    return { accessToken, refreshToken, user: presentUser(user, kycStatus), mpinSet };
  };

const createSignInRoutes = (deps: AuthRoutesDeps): Route[] => {
  const present = createPresenter(deps);
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
      summary: 'Sign in with the code. The first sign-in creates the account',
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
      summary: 'Exchange a refresh token for a new pair of tokens',
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

const createMpinRoutes = (deps: AuthRoutesDeps): Route[] => {
  const present = createPresenter(deps);
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/set-mpin',
      summary: "Set or replace the caller's MPIN",
      tags,
      access: customerAccess,
      body: setMpinBody,
      responses: { 200: mpinUpdated },
      errors: ['MPIN_TOO_COMMON', 'RECENT_SIGN_IN_REQUIRED', 'BUSY'],
      handler: async ({ body, principal, context }) => {
        await setMpin(deps, principal, body, context);
        return ok({ updated: true });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/login-mpin',
      summary: 'Sign in with the MPIN',
      tags,
      access: PUBLIC,
      body: mpinSignInBody,
      responses: { 200: signInAnswer },
      errors: ['INVALID_CREDENTIALS', 'MPIN_LOCKED', 'ACCOUNT_UNAVAILABLE', 'BUSY'],
      handler: async ({ body, context }) =>
        ok(await present(await signInWithMpin(deps, body, context))),
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/forgot-mpin',
      summary: 'Send a code that resets the MPIN. The response is the same for every phone number',
      tags,
      access: PUBLIC,
      body: sendOtpBody,
      responses: { 200: sendOtpAnswer },
      errors: ['OTP_SEND_LIMIT'],
      handler: async ({ body: { phone }, context }) =>
        ok({ sent: true, ...(await deps.forgotMpin.send(phone, context)) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/reset-mpin',
      summary: 'Reset the MPIN with a code and end every session',
      tags,
      access: PUBLIC,
      body: resetMpinBody,
      responses: { 200: mpinUpdated },
      errors: ['MPIN_TOO_COMMON', 'INVALID_OTP', 'OTP_LOCKED', 'ACCOUNT_UNAVAILABLE', 'BUSY'],
      handler: async ({ body, context }) => {
        await resetMpin(deps, body, context);
        return ok({ updated: true });
      },
    }),
  ];
};

const createBiometricRoutes = (deps: AuthRoutesDeps): Route[] => {
  const present = createPresenter(deps);
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/biometric-token',
      summary: 'Issue the biometric token of a device that is signed in',
      tags,
      access: customerAccess,
      body: biometricTokenBody,
      responses: { 200: biometricTokenAnswer },
      errors: ['NO_ACTIVE_SESSION', 'RECENT_SIGN_IN_REQUIRED', 'BUSY'],
      handler: async ({ body, principal, context }) =>
        ok(await issueBiometricToken(deps, principal, body, context)),
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/login-biometric',
      summary: 'Sign in with the biometric token of a device',
      tags,
      access: PUBLIC,
      body: biometricSignInBody,
      responses: { 200: signInAnswer },
      errors: ['INVALID_CREDENTIALS', 'ACCOUNT_UNAVAILABLE'],
      handler: async ({ body, context }) =>
        ok(await present(await signInWithBiometric(deps, body, context))),
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
    summary: 'Active sessions and devices that can sign in without a code, newest first',
    tags,
    access: customerAccess,
    query: pageQuery,
    responses: { 200: sessionPage },
    handler: async ({ query, principal: { userId, sessionId } }) => {
      const found = await listSessions(deps.db, userId, deps.clock.now(), query);
      const items = found.items.map((session) => presentSession(session, sessionId));
      return ok({ items, total: found.total, ...query });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    summary: 'End one session, revoke its biometric token and stop trusting its device',
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
  ...createMpinRoutes(deps),
  ...createBiometricRoutes(deps),
  ...createSessionRoutes(deps),
];
