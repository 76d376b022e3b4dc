import { defineRoute, ok, type Access, type Route } from '../../platform/http/index.ts';
import {
  enrolAnswer,
  enrolBody,
  factorView,
  presentFactor,
  recoveryCodesView,
  renewBody,
} from '../second-factor/index.ts';
import { enrolFactor, renewRecoveryCodes } from './own-credentials.ts';
import type { StaffAccount, StaffRealm } from './staff.types.ts';

const tags = ['auth'];

/**
 * Declares the routes by which a person manages their own authenticator app. Each API declares the
 * confirmation itself, since its response differs. `before` also admits people who must still set
 * up an app.
 */
export const createFactorRoutes = <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  access: { readonly before: Access<P>; readonly after: Access<P> },
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/auth/second-factor',
    summary: "The caller's authenticator app",
    tags,
    access: access.before,
    responses: { 200: factorView },
    handler: async ({ principal }) => {
      const { deps, accounts } = realm;
      const state = await accounts.createFactors(deps).read(deps.db, realm.idOf(principal));
      return ok(presentFactor(state, deps.secondFactorRequired === true));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/second-factor/enrol',
    summary: 'Create the secret of an authenticator app',
    tags,
    access: access.before,
    body: enrolBody,
    responses: { 200: enrolAnswer },
    errors: ['WRONG_PASSWORD', 'LOGIN_LOCKED', 'CONFLICT', 'BUSY'],
    handler: async ({ body, principal, context }) =>
      ok(await enrolFactor(realm, { principal, context }, body.password)),
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/second-factor/recovery-codes',
    summary: "Replace the caller's recovery codes",
    tags,
    access: access.after,
    body: renewBody,
    responses: { 200: recoveryCodesView },
    errors: ['WRONG_PASSWORD', 'SECOND_FACTOR_INVALID', 'LOGIN_LOCKED', 'CONFLICT', 'BUSY'],
    handler: async ({ body, principal, context }) =>
      ok({ recoveryCodes: await renewRecoveryCodes(realm, { principal, context }, body) }),
  }),
];
