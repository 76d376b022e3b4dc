import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  created,
  defineRoute,
  idParams,
  ok,
  type RequestContext,
  type Route,
} from '../../platform/http/index.ts';
import { portalActor, portalRead, portalWrite, type PortalPrincipal } from './accounting.types.ts';
import {
  createPortalUserChanges,
  type ChangeAuthor,
  type PortalUserChanges,
  type PortalUserChangesDeps,
} from './change-portal-users.ts';
import {
  newPortalUserBody,
  passwordBody,
  permissionsBody,
  permissionsView,
  portalUserDetail,
  portalUserPatch,
  portalUsersPage,
  portalUsersQuery,
  presentPermissions,
  presentPortalUserDetail,
  presentRoles,
  roleBody,
  rolesView,
} from './portal-users.schemas.ts';
import { findPortalUser, listPortalUsers } from './portal-users.store.ts';

const path = '/portal-users';
const tags = ['portal-users'];

/** Declares the reads of portal users, their roles and permissions. */
export const createPortalUserReads = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    summary: 'Portal users, newest first',
    tags,
    access: portalRead('portal_users.read'),
    query: portalUsersQuery,
    responses: { 200: portalUsersPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const { rows, total } = await listPortalUsers(db, filter, { page, limit });
      return ok({ items: rows.map(presentPortalUserDetail), total, page, limit });
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/roles`,
    summary: 'Roles with their default permissions',
    tags,
    access: portalRead('roles.read'),
    responses: { 200: rolesView },
    handler: async () => ok(presentRoles()),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/permissions`,
    summary: 'Permissions, marked if only super admins can have them',
    tags,
    access: portalRead('roles.read'),
    responses: { 200: permissionsView },
    handler: async () => ok(presentPermissions()),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/:id`,
    summary: 'One portal user',
    tags,
    access: portalRead('portal_users.read'),
    params: idParams,
    responses: { 200: portalUserDetail },
    errors: ['NOT_FOUND'],
    handler: async ({ params }) => {
      const user = await findPortalUser(db, params.id);
      if (user === undefined) throw new AppError('NOT_FOUND');
      return ok(presentPortalUserDetail(user));
    },
  }),
];

/** Returns the author of a change. The author can only give permissions that they hold. */
const authorOf = (principal: PortalPrincipal, context: RequestContext): ChangeAuthor => ({
  ...portalActor(principal, context),
  grantor: principal,
});

/** The declarations that all routes which change one user share. */
const changeRoute = {
  tags,
  params: idParams,
  responses: { 200: portalUserDetail },
  errors: ['NOT_FOUND', 'CONFLICT'],
} as const;

const createActivationRoute = (
  changes: PortalUserChanges,
  name: 'activate' | 'deactivate',
  summary: string,
): Route =>
  defineRoute({
    method: 'POST',
    path: `${path}/:id/${name}`,
    summary,
    access: portalWrite('portal_users.deactivate'),
    ...changeRoute,
    handler: async ({ params, principal, context }) => {
      const by = authorOf(principal, context);
      const user = await changes.setActive(by, params, name === 'activate');
      return ok(presentPortalUserDetail(user));
    },
  });

const createUserRoutes = (changes: PortalUserChanges): Route[] => [
  defineRoute({
    method: 'POST',
    path,
    summary: 'Create a portal user',
    tags,
    access: portalWrite('portal_users.create'),
    body: newPortalUserBody,
    responses: { 201: portalUserDetail },
    errors: ['CONFLICT', 'BUSY'],
    handler: async ({ body, principal, context }) => {
      const user = await changes.create(authorOf(principal, context), body);
      return created(presentPortalUserDetail(user));
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'Change the email or the name of a portal user',
    access: portalWrite('portal_users.update'),
    ...changeRoute,
    body: portalUserPatch,
    handler: async ({ params, body, principal, context }) => {
      const user = await changes.update(authorOf(principal, context), params, body);
      return ok(presentPortalUserDetail(user));
    },
  }),
  createActivationRoute(changes, 'activate', 'Activate a portal user'),
  createActivationRoute(changes, 'deactivate', 'Deactivate a portal user and end their sessions'),
  defineRoute({
    method: 'POST',
    path: `${path}/:id/reset-password`,
    summary: 'Set the password of a portal user and end their sessions',
    access: portalWrite('portal_users.reset_password'),
    ...changeRoute,
    errors: ['NOT_FOUND', 'BUSY'],
    body: passwordBody,
    handler: async ({ params, body, principal, context }) => {
      const by = authorOf(principal, context);
      return ok(presentPortalUserDetail(await changes.resetPassword(by, params, body.password)));
    },
  }),
];

const createRoleRoutes = (changes: PortalUserChanges): Route[] => [
  defineRoute({
    method: 'PUT',
    path: `${path}/:id/role`,
    summary: 'Change the role of a portal user, which resets their permissions to its defaults',
    access: portalWrite('portal_users.assign_role'),
    ...changeRoute,
    body: roleBody,
    handler: async ({ params, body, principal, context }) => {
      const user = await changes.setRole(authorOf(principal, context), params, body.role);
      return ok(presentPortalUserDetail(user));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: `${path}/:id/permissions`,
    summary: 'Replace the permissions of a portal user',
    access: portalWrite('portal_users.assign_permissions'),
    ...changeRoute,
    body: permissionsBody,
    handler: async ({ params, body, principal, context }) => {
      const by = authorOf(principal, context);
      const user = await changes.setPermissions(by, params, body.permissions);
      return ok(presentPortalUserDetail(user));
    },
  }),
];

/** Declares the administration of portal users (contract: accounting > Portal users). */
export const createPortalUserWrites = (deps: PortalUserChangesDeps): Route[] => {
  const changes = createPortalUserChanges(deps);
  return [...createUserRoutes(changes), ...createRoleRoutes(changes)];
};
