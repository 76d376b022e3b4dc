import { defineRoute, noContent, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import { loginAnswer, loginBody, presentAdmin } from './admins.schemas.ts';
import { anyAdmin } from './admins.types.ts';
import { signInAdmin, type SignInAdminDeps } from './sign-in-admin.ts';

/** Declares `/auth` of the admin API. */
export const createAdminsAdminRoutes = (deps: SignInAdminDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign an operator in',
    tags: ['auth'],
    access: PUBLIC,
    body: loginBody,
    responses: { 200: loginAnswer },
    errors: ['INVALID_CREDENTIALS', 'LOGIN_LOCKED', 'BUSY'],
    handler: async ({ body, context }) => {
      const signedIn = await signInAdmin(deps, body, context);
      const { accessToken, expiresIn, admin, browserToken } = signedIn;
      return ok({ accessToken, expiresIn, admin: presentAdmin(admin), browserToken });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Sign out; the client discards its token',
    tags: ['auth'],
    access: anyAdmin,
    responses: { 204: null },
    handler: async () => noContent(),
  }),
];
