import { defineRoute, noContent, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import { signInStaff } from '../staff-credentials/index.ts';
import {
  healthView,
  portalLoginAnswer,
  portalLoginBody,
  portalUserView,
  presentPortalUser,
} from './accounting.schemas.ts';
import { anyPortalUserBeforeFactor } from './accounting.types.ts';
import { createPortalRealm, signOutPortalUser, type PortalSignInDeps } from './portal-sign-in.ts';

/** Declares health and sign-in of the accounting API. */
export const createAccountingRoutes = (deps: PortalSignInDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/health',
    summary: 'Check that the process is running',
    tags: ['health'],
    access: PUBLIC,
    rateLimit: 'exempt',
    responses: { 200: healthView },
    handler: async () => ok({ status: 'ok' }),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in. Send the token in the x-portal-token header of later requests',
    tags: ['auth'],
    access: PUBLIC,
    body: portalLoginBody,
    responses: { 200: portalLoginAnswer },
    errors: [
      'INVALID_CREDENTIALS',
      'SECOND_FACTOR_REQUIRED',
      'SECOND_FACTOR_INVALID',
      'LOGIN_LOCKED',
      'BUSY',
    ],
    handler: async ({ body, context }) => {
      const { signIn, ...rest } = await signInStaff(createPortalRealm(deps), body, context);
      const { token, expiresAt, user } = signIn;
      return ok({
        ...rest,
        token,
        expiresAt: expiresAt.toISOString(),
        user: presentPortalUser(user),
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Sign out',
    tags: ['auth'],
    access: anyPortalUserBeforeFactor,
    responses: { 204: null },
    handler: async ({ principal }) => {
      await signOutPortalUser(deps, principal);
      return noContent();
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/me',
    summary: 'The portal user who is signed in',
    tags: ['auth'],
    access: anyPortalUserBeforeFactor,
    responses: { 200: portalUserView },
    handler: async ({ principal }) =>
      ok(presentPortalUser({ ...principal, id: principal.portalUserId })),
  }),
];
