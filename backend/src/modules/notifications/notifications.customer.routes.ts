import { z } from 'zod';
import {
  betweenQuery,
  pageOf,
  defineRoute,
  idParams,
  moment,
  ok,
  pageQuery,
  type Access,
  type Route,
} from '../../platform/http/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { notificationTypes, type Notification } from './notifications.types.ts';
import {
  countUnread,
  listNotifications,
  markAllRead,
  markNotificationRead,
  maxUnread,
} from './notifications.store.ts';

/** A notification as its customer sees it (contract: customers > Notifications). */
const notificationView = z.object({
  id: z.uuid(),
  type: z.enum(notificationTypes),
  title: z.string(),
  body: z.string(),
  data: z
    .record(z.string(), z.unknown())
    .describe('Ids, in camelCase, for the screen that the notification opens.'),
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

const listQuery = pageQuery.extend({
  ...betweenQuery,
  unread: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Send true for unread notifications only.'),
});

const unreadView = z.object({
  unread: z
    .int()
    .min(0)
    .max(maxUnread)
    .describe(`The number of unread notifications, up to ${maxUnread}.`),
});
unreadView.register(z.globalRegistry, {
  id: 'UnreadCount',
  description: 'The number of unread notifications.',
  examples: [{ unread: 3 }],
});

const readAllBody = z.object({
  until: moment
    .optional()
    .describe(
      'The time of the newest notification that was shown. Later notifications stay unread.',
    ),
});
readAllBody.register(z.globalRegistry, {
  id: 'ReadAllRequest',
  examples: [{ until: '2026-01-15T09:30:00.000Z' }],
});

const readAllView = z.object({ read: z.int().min(0) });
readAllView.register(z.globalRegistry, {
  id: 'ReadAll',
  description: 'The number of notifications that were marked as read.',
  examples: [{ read: 3 }],
});

const refusePreferences = async (): Promise<never> => {
  throw new AppError('NOT_IMPLEMENTED');
};

interface NotificationRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly access: Access<{ readonly userId: string }>;
}

/** Declares the routes that count unread notifications and mark all of them as read. */
const createBellRoutes = ({ db, clock, access }: NotificationRoutesDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/notifications/unread-count',
    summary: 'The number of unread notifications',
    tags: ['notifications'],
    access,
    responses: { 200: unreadView },
    handler: async ({ principal }) => ok({ unread: await countUnread(db, principal.userId) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/notifications/read-all',
    summary: 'Mark all notifications as read, or all up to a time',
    tags: ['notifications'],
    access,
    body: readAllBody,
    responses: { 200: readAllView },
    handler: async ({ body: { until }, principal: { userId } }) => {
      const now = clock.now();
      return ok({ read: await markAllRead(db, { userId, before: until ?? now, now }) });
    },
  }),
];

/**
 * Declares `/notifications` of the customer API. `access` is a parameter, because the module that declares
 * customers' access depends on this module.
 */
export const createNotificationCustomerRoutes = (deps: NotificationRoutesDeps): Route[] => {
  const { db, clock, access } = deps;
  const shared = { tags: ['notifications'], access };
  const preferences = { path: '/notifications/preferences', responses: {}, ...shared };
  return [
    defineRoute({
      method: 'GET',
      path: '/notifications',
      summary: "The customer's notifications, newest first",
      query: listQuery,
      responses: { 200: notificationPage },
      ...shared,
      handler: async ({ query: { page, limit, ...filter }, principal: { userId } }) => {
        const bounds = { page, limit };
        const { rows, total } = await listNotifications(db, { ...filter, userId }, bounds);
        return ok({ items: rows.map(presentNotification), total, ...bounds });
      },
    }),
    ...createBellRoutes(deps),
    defineRoute({
      method: 'PATCH',
      path: '/notifications/:id/read',
      summary: 'Mark a notification as read',
      params: idParams,
      responses: { 200: notificationView },
      ...shared,
      handler: async ({ params: { id }, principal: { userId } }) => {
        const read = await markNotificationRead(db, { id, userId, now: clock.now() });
        if (read === undefined) throw new AppError('NOT_FOUND');
        return ok(presentNotification(read));
      },
    }),
    defineRoute({
      method: 'GET',
      summary: 'Notification preferences. Not available yet',
      errors: ['NOT_IMPLEMENTED'],
      handler: refusePreferences,
      ...preferences,
    }),
    defineRoute({
      method: 'POST',
      summary: 'Change notification preferences. Not available yet',
      errors: ['NOT_IMPLEMENTED'],
      handler: refusePreferences,
      ...preferences,
    }),
  ];
};
