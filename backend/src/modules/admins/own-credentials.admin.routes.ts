import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { confirmBody, disableBody } from '../second-factor/index.ts';
import {
  changeOwnPassword,
  confirmFactor,
  createFactorRoutes,
} from '../staff-credentials/index.ts';
import {
  adminTokenView,
  confirmedView,
  operatorDetail,
  operatorsView,
  ownPasswordBody,
  presentOperator,
} from './admins.schemas.ts';
import { listAdmins } from './admins.store.ts';
import { adminAccess, anyAdmin, anyAdminBeforeEnrolment } from './admins.types.ts';
import { disableFactor } from './own-credentials.ts';
import { createAdminFactors, createOperatorRealm, type SignInAdminDeps } from './sign-in-admin.ts';

const tags = ['auth'];

/** Declares the routes by which operators change their own password and authenticator app. */
const createSelfRoutes = (realm: ReturnType<typeof createOperatorRealm>): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/auth/password',
    summary: "Change the caller's password and end every other session",
    tags,
    access: anyAdminBeforeEnrolment,
    body: ownPasswordBody,
    responses: { 200: adminTokenView },
    errors: ['WRONG_PASSWORD', 'LOGIN_LOCKED', 'BUSY'],
    handler: async ({ body, principal, context }) =>
      ok(await changeOwnPassword(realm, { principal, context }, body)),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/second-factor/confirm',
    summary: 'Activate the authenticator app with its first code and end every other session',
    tags,
    access: anyAdminBeforeEnrolment,
    body: confirmBody,
    responses: { 200: confirmedView },
    errors: ['SECOND_FACTOR_INVALID', 'LOGIN_LOCKED', 'CONFLICT'],
    handler: async ({ body, principal, context }) => {
      const { renewal, recoveryCodes } = await confirmFactor(
        realm,
        { principal, context },
        body.code,
      );
      return ok({ ...renewal, recoveryCodes });
    },
  }),
  ...createFactorRoutes(realm, { before: anyAdminBeforeEnrolment, after: anyAdmin }),
];

/** Declares the routes of operators' own credentials, and of super admins who manage operators. */
export const createOwnCredentialRoutes = (deps: SignInAdminDeps): Route[] => [
  ...createSelfRoutes(createOperatorRealm(deps)),
  defineRoute({
    method: 'GET',
    path: '/operators',
    summary: 'Operators, oldest first',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    responses: { 200: operatorsView },
    handler: async () => {
      const withFactor = await createAdminFactors(deps).listActive(deps.db);
      const admins = await listAdmins(deps.db);
      return ok({ items: admins.map((admin) => presentOperator(admin, withFactor.has(admin.id))) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/operators/:id/second-factor/disable',
    summary: "Remove another operator's authenticator app and end their sessions",
    tags,
    access: adminAccess('SUPER_ADMIN'),
    params: idParams,
    body: disableBody,
    responses: { 200: operatorDetail },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ params, body, principal, context }) => {
      const change = { adminId: params.id, reason: body.reason };
      const admin = await disableFactor(deps, { principal, context }, change);
      return ok(presentOperator(admin, false));
    },
  }),
];
