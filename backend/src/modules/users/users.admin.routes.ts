import type { Clock } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { adminAccess } from '../admins/index.ts';
import { blockUser, type BlockUserDeps } from './block-user.ts';
import { presentUsers, readUserDetail } from './read-user-detail.ts';
import { findUserRow, searchUsers } from './users.read-model.ts';
import { blockBody, userDetail, userOperatorView, userPage, usersQuery } from './users.schemas.ts';

type UsersAdminDeps = BlockUserDeps & { readonly db: Db; readonly wall: Clock };

const readers = adminAccess('SUPER_ADMIN', 'ADMIN', 'SUPPORT');
const tags = ['users'];

/** Declares `/users` of the admin API. The modules of KYC and timeline declare their own routes. */
export const createUsersAdminRoutes = (deps: UsersAdminDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/users',
    summary: 'Customers, newest first, including deleted customers without their personal data',
    tags,
    access: readers,
    query: usersQuery,
    responses: { 200: userPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const { rows, total } = await searchUsers(deps.db, filter, { page, limit });
      return ok({ items: await presentUsers(deps, rows), total, page, limit });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/users/:id',
    summary: 'One customer with holding, KYC, bank accounts, security events, rewards and plans',
    tags,
    access: readers,
    params: idParams,
    responses: { 200: userDetail },
    handler: async ({ params }) => ok(await readUserDetail(deps, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/users/:id/block',
    summary: 'Block a customer and end their sessions, or unblock a customer',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    params: idParams,
    body: blockBody,
    responses: { 200: userOperatorView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id }, body, principal, context }) => {
      await blockUser(deps, id, { principal, context }, body);
      const row = await findUserRow(deps.db, id);
      if (row === undefined) throw new AppError('NOT_FOUND');
      return ok((await presentUsers(deps, [row]))[0]);
    },
  }),
];
