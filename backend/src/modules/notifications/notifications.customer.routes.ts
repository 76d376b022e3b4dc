import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  idParams,
  ok,
  pageQuery,
  type Access,
  type Route,
} from '../../platform/http/index.ts';
import {
  notificationPage,
  notificationView,
  presentNotification,
} from './notifications.schemas.ts';
import { listNotifications, markNotificationRead } from './notifications.store.ts';

const refusePreferences = async (): Promise<never> => {
  throw new AppError('NOT_IMPLEMENTED');
};

/**
 * Declares `/notifications` of the customer API. `access` comes from the module of customers, which
 * writes notifications itself.
 */
export const createNotificationRoutes = (deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly access: Access<{ readonly userId: string }>;
}): Route[] => {
  const { db, clock, access } = deps;
  const shared = { tags: ['notifications'], access };
  const preferences = { path: '/notifications/preferences', responses: {}, ...shared };
  return [
    defineRoute({
      method: 'GET',
      path: '/notifications',
      summary: "The customer's notifications, newest first",
      query: pageQuery,
      responses: { 200: notificationPage },
      ...shared,
      handler: async ({ query, principal }) => {
        const { rows, total } = await listNotifications(db, principal.userId, query);
        return ok({ items: rows.map(presentNotification), total, ...query });
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/notifications/:id/read',
      summary: 'Mark a notification as read',
      params: idParams,
      responses: { 200: notificationView },
      ...shared,
      handler: async ({ params: { id }, principal: { userId } }) => {
        const read = await markNotificationRead(db, { id, userId, at: clock.now() });
        if (read === undefined) throw new AppError('NOT_FOUND');
        return ok(presentNotification(read));
      },
    }),
    defineRoute({
      method: 'GET',
      summary: 'Preferences; not available yet',
      errors: ['NOT_IMPLEMENTED'],
      handler: refusePreferences,
      ...preferences,
    }),
    defineRoute({
      method: 'POST',
      summary: 'Change preferences; not available yet',
      errors: ['NOT_IMPLEMENTED'],
      handler: refusePreferences,
      ...preferences,
    }),
  ];
};
