import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { presentUser, profileBody, userView } from './identity.schemas.ts';
import { customerAccess, isActive, type KycStatus } from './identity.types.ts';
import { findUser, updateProfile } from './users.store.ts';

interface UsersRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly kycStatusOf: (db: Db, userId: string) => Promise<KycStatus>;
}

/** Declares `/users/me` of the customer API. */
export const createUsersCustomerRoutes = (deps: UsersRoutesDeps): Route[] => {
  const { db, clock, kycStatusOf } = deps;

  const presentMe = async (userId: string) => {
    const [user, kycStatus] = await Promise.all([findUser(db, userId), kycStatusOf(db, userId)]);
    // Gone since the guard looked.
    if (user === undefined || !isActive(user)) throw new AppError('UNAUTHENTICATED');
    return ok(presentUser(user, kycStatus));
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/users/me',
      summary: "The caller's profile",
      tags: ['users'],
      access: customerAccess,
      responses: { 200: userView },
      handler: async ({ principal }) => presentMe(principal.userId),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/users/me',
      summary: "Change the caller's name or email",
      tags: ['users'],
      access: customerAccess,
      body: profileBody,
      responses: { 200: userView },
      handler: async ({ body, principal: { userId } }) => {
        const changes = { fullName: body.full_name, email: body.email };
        const found = await updateProfile(db, userId, changes, clock.now());
        if (!found) throw new AppError('UNAUTHENTICATED');
        return presentMe(userId);
      },
    }),
  ];
};
