import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { created, defineRoute, noContent, ok, type Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import {
  presentPushToken,
  presentUser,
  profileBody,
  pushTokenBody,
  pushTokenParams,
  pushTokenView,
  userView,
} from './identity.schemas.ts';
import { customerAccess, isActive, type KycStatus } from './identity.types.ts';
import { registerPushToken, deletePushToken } from './push-tokens.store.ts';
import { findUser, updateProfile } from './users.store.ts';

interface UsersRoutesDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly findKycStatus: (db: Db, userId: string) => Promise<KycStatus>;
}

const createPushTokenRoutes = (deps: UsersRoutesDeps): Route[] => {
  const { db, inTransaction, clock, random } = deps;
  return [
    defineRoute({
      method: 'POST',
      path: '/users/me/push-tokens',
      summary: 'Register a push token. A token of another account moves to the caller',
      tags: ['users'],
      access: customerAccess,
      body: pushTokenBody,
      responses: { 201: pushTokenView },
      handler: async ({ body, principal: { userId } }) => {
        const token = { ...body, id: random.uuid(), userId };
        const registered = await inTransaction((tx) => registerPushToken(tx, token, clock.now()));
        return created(presentPushToken(registered));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/users/me/push-tokens/:token',
      summary: "Remove one of the caller's push tokens",
      tags: ['users'],
      access: customerAccess,
      params: pushTokenParams,
      responses: { 204: null },
      handler: async ({ params, principal: { userId } }) => {
        if (!(await deletePushToken(db, userId, params.token))) throw new AppError('NOT_FOUND');
        return noContent();
      },
    }),
  ];
};

/** Declares `/users/me` of the customer API. */
export const createUsersCustomerRoutes = (deps: UsersRoutesDeps): Route[] => {
  const { db, clock, findKycStatus } = deps;

  const respondWithProfile = async (userId: string) => {
    const [user, kycStatus] = await Promise.all([findUser(db, userId), findKycStatus(db, userId)]);
    // The customer was blocked or deleted after the guard admitted them.
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
      handler: async ({ principal }) => respondWithProfile(principal.userId),
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
        const isUpdated = await updateProfile(db, userId, changes, clock.now());
        if (!isUpdated) throw new AppError('UNAUTHENTICATED');
        return respondWithProfile(userId);
      },
    }),
    ...createPushTokenRoutes(deps),
  ];
};
