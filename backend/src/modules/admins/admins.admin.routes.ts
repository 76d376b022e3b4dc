import { defineRoute, noContent, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import { signInStaff } from '../staff-credentials/index.ts';
import { loginAnswer, loginBody, presentAdmin } from './admins.schemas.ts';
import { anyAdminBeforeEnrolment } from './admins.types.ts';
import { createOperatorRealm, type SignInAdminDeps } from './sign-in-admin.ts';

/** Declares `/auth` of the admin API. */
export const createAdminsAdminRoutes = (deps: SignInAdminDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in as an operator',
    tags: ['auth'],
    access: PUBLIC,
    body: loginBody,
    responses: { 200: loginAnswer },
    errors: [
      'INVALID_CREDENTIALS',
      'SECOND_FACTOR_REQUIRED',
      'SECOND_FACTOR_INVALID',
      'LOGIN_LOCKED',
      'BUSY',
    ],
    handler: async ({ body, context }) => {
      const { signIn, ...rest } = await signInStaff(createOperatorRealm(deps), body, context);
      return ok({ ...rest, ...signIn, admin: presentAdmin(signIn.admin) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Sign out. The client must discard its token',
    tags: ['auth'],
    access: anyAdminBeforeEnrolment,
    responses: { 204: null },
    handler: async () => noContent(),
  }),
];
