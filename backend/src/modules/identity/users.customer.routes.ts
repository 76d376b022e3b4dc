import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { findUser } from './identity.read-model.ts';
import { presentUser, userView } from './identity.schemas.ts';
import { customerAccess, isActive, type KycStatus } from './identity.types.ts';

export interface UsersRoutesDeps {
  readonly db: Db;
  readonly kycStatusOf: (db: Db, userId: string) => Promise<KycStatus>;
}

/** `/users/me` of the customer API. */
export const createUsersCustomerRoutes = ({ db, kycStatusOf }: UsersRoutesDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/users/me',
    summary: "The caller's profile",
    tags: ['users'],
    access: customerAccess,
    responses: { 200: userView },
    handler: async ({ principal: { userId } }) => {
      const [user, kycStatus] = await Promise.all([findUser(db, userId), kycStatusOf(db, userId)]);
      // Gone since the guard looked.
      if (user === undefined || !isActive(user)) throw new AppError('UNAUTHENTICATED');
      return ok(presentUser(user, kycStatus));
    },
  }),
];
