import { defineRoute, idParams, noContent, ok, type Route } from '../../platform/http/index.ts';
import { ownPasswordBody } from '../admins/index.ts';
import { confirmBody, disableBody, recoveryCodesView } from '../second-factor/index.ts';
import {
  changeOwnPassword,
  confirmFactor,
  createFactorRoutes,
} from '../staff-credentials/index.ts';
import { anyPortalUser, anyPortalUserBeforeFactor, portalWrite } from './accounting.types.ts';
import { disablePortalFactor } from './portal-credentials.ts';
import { createPortalRealm, type PortalSignInDeps } from './portal-sign-in.ts';
import { portalUserDetail, presentPortalUserDetail } from './portal-users.schemas.ts';

const tags = ['auth'];

/** Declares the routes for a portal user's own password and authenticator app. */
const createSelfRoutes = (realm: ReturnType<typeof createPortalRealm>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/password',
    summary: "Change the caller's password and end every other session",
    tags,
    access: anyPortalUserBeforeFactor,
    body: ownPasswordBody,
    responses: { 204: null },
    errors: ['WRONG_PASSWORD', 'LOGIN_LOCKED', 'BUSY'],
    handler: async ({ body, principal, context }) => {
      await changeOwnPassword(realm, { principal, context }, body);
      return noContent();
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/second-factor/confirm',
    summary: 'Activate the authenticator app with its first code and end every other session',
    tags,
    access: anyPortalUserBeforeFactor,
    body: confirmBody,
    responses: { 200: recoveryCodesView },
    errors: ['SECOND_FACTOR_INVALID', 'LOGIN_LOCKED', 'CONFLICT'],
    handler: async ({ body, principal, context }) => {
      const { recoveryCodes } = await confirmFactor(realm, { principal, context }, body.code);
      return ok({ recoveryCodes });
    },
  }),
  ...createFactorRoutes(realm, { before: anyPortalUserBeforeFactor, after: anyPortalUser }),
];

/**
 * Declares the routes for a portal user's own credentials, and the route that disables another
 * user's lost authenticator app.
 */
export const createPortalCredentialRoutes = (deps: PortalSignInDeps): Route[] => [
  ...createSelfRoutes(createPortalRealm(deps)),
  defineRoute({
    method: 'POST',
    path: '/portal-users/:id/second-factor/disable',
    summary: "Remove another user's authenticator app and end their sessions",
    tags: ['portal-users'],
    access: portalWrite('portal_users.reset_password'),
    params: idParams,
    body: disableBody,
    responses: { 200: portalUserDetail },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ params, body, principal, context }) => {
      const change = { id: params.id, reason: body.reason };
      return ok(
        presentPortalUserDetail(await disablePortalFactor(deps, { principal, context }, change)),
      );
    },
  }),
];
