import { z } from 'zod';
import {
  pageOf,
  defineRoute,
  idParams,
  ok,
  pageQuery,
  type Access,
  type Route,
} from '../../platform/http/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { notificationTypes, type Notification } from './notifications.types.ts';
import { listNotifications, markNotificationRead } from './notifications.store.ts';

/** A notification as its customer sees it (contract: customers > Notifications). */
const notificationView = z.object({
  id: z.uuid(),
  type: z.enum(notificationTypes),
  title: z.string(),
  body: z.string(),
  data: z.record(z.string(), z.unknown()).describe('Ids for the right screen, in camelCase.'),
  read: z.boolean(),
  createdAt: z.iso.datetime(),
});
notificationView.register(z.globalRegistry, {
  id: 'Notification',
  description: 'A message to the customer.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      type: 'buy_success',
      title: 'Gold added to your account',
      body: '0.0668 g of gold bought for INR 1000.50 is in your account.',
      data: { orderId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01', grams: '0.0668' },
      read: false,
      createdAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

const notificationPage = pageOf(notificationView);

const presentNotification = (notification: Notification): z.output<typeof notificationView> => ({
  id: notification.id,
  type: notification.type,
  title: notification.title,
  body: notification.body,
  data: notification.data,
  read: notification.readAt !== null,
  createdAt: notification.createdAt.toISOString(),
});

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
