import { defineRoute, noContent, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import { loginAnswer, loginBody, presentAdmin } from './admins.schemas.ts';
import type { createAdminsService } from './admins.service.ts';
import { anyAdmin } from './admins.types.ts';

/** `POST /auth/login`, `POST /auth/logout` of the admin API. */
export const createAdminsAdminRoutes = (
  service: ReturnType<typeof createAdminsService>,
): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign an operator in',
    tags: ['auth'],
    access: PUBLIC,
    body: loginBody,
    responses: { 200: loginAnswer },
    errors: ['INVALID_CREDENTIALS', 'LOGIN_LOCKED'],
    handler: async ({ body }) => {
      const { accessToken, expiresIn, admin } = await service.signIn(body.email, body.password);
      return ok({ accessToken, expiresIn, admin: presentAdmin(admin) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Stateless: the client forgets its token',
    tags: ['auth'],
    access: anyAdmin,
    responses: { 204: null },
    handler: async () => noContent(),
  }),
];
