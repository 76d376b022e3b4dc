import { defineRoute, idParams, noContent, ok, type Route } from '../../platform/http/index.ts';
import { ownPasswordBody } from '../admins/index.ts';
import {
  confirmBody,
  disableBody,
  enrolAnswer,
  enrolBody,
  factorView,
  presentFactor,
  recoveryCodesView,
  renewBody,
} from '../second-factor/index.ts';
import { anyPortalUser, anyPortalUserBefore, portalWrite } from './accounting.types.ts';
import {
  changeOwnPortalPassword,
  confirmPortalFactor,
  disablePortalFactor,
  enrolPortalFactor,
  renewPortalRecoveryCodes,
} from './portal-credentials.ts';
import { createPortalFactors, type PortalSignInDeps } from './portal-sign-in.ts';
import { portalUserDetail, presentPortalUserDetail } from './portal-users.schemas.ts';

const tags = ['auth'];

/** Declares what portal users do with their own password and authenticator app. */
const createSelfRoutes = (deps: PortalSignInDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/password',
    summary: "Change one's own password; every other session ends",
    tags,
    access: anyPortalUserBefore,
    body: ownPasswordBody,
    responses: { 204: null },
    errors: ['WRONG_PASSWORD', 'LOGIN_LOCKED', 'BUSY'],
    handler: async ({ body, principal, context }) => {
      await changeOwnPortalPassword(deps, { principal, context }, body);
      return noContent();
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/second-factor',
    summary: "One's own authenticator app",
    tags,
    access: anyPortalUserBefore,
    responses: { 200: factorView },
    handler: async ({ principal }) => {
      const state = await createPortalFactors(deps).read(deps.db, principal.portalUserId);
      return ok(presentFactor(state, deps.secondFactorRequired === true));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/second-factor/enrol',
    summary: 'Create the secret of an authenticator app',
    tags,
    access: anyPortalUserBefore,
    body: enrolBody,
    responses: { 200: enrolAnswer },
    errors: ['WRONG_PASSWORD', 'LOGIN_LOCKED', 'CONFLICT', 'BUSY'],
    handler: async ({ body, principal, context }) =>
      ok(await enrolPortalFactor(deps, { principal, context }, body.password)),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/second-factor/confirm',
    summary: 'Activate the authenticator app with its first code; every other session ends',
    tags,
    access: anyPortalUserBefore,
    body: confirmBody,
    responses: { 200: recoveryCodesView },
    errors: ['SECOND_FACTOR_INVALID', 'LOGIN_LOCKED', 'CONFLICT'],
    handler: async ({ body, principal, context }) =>
      ok({ recoveryCodes: await confirmPortalFactor(deps, { principal, context }, body.code) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/second-factor/recovery-codes',
    summary: 'Replace the recovery codes',
    tags,
    access: anyPortalUser,
    body: renewBody,
    responses: { 200: recoveryCodesView },
    errors: ['WRONG_PASSWORD', 'SECOND_FACTOR_INVALID', 'LOGIN_LOCKED', 'CONFLICT', 'BUSY'],
    handler: async ({ body, principal, context }) =>
      ok({ recoveryCodes: await renewPortalRecoveryCodes(deps, { principal, context }, body) }),
  }),
];

/** Declares portal users' own credentials, and how a super admin takes a lost app away. */
export const createPortalCredentialRoutes = (deps: PortalSignInDeps): Route[] => [
  ...createSelfRoutes(deps),
  defineRoute({
    method: 'POST',
    path: '/portal-users/:id/second-factor/disable',
    summary: "Take another user's authenticator app away, and end their sessions",
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
