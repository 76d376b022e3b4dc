import { z } from 'zod';
import { pageOf } from '../../platform/http/index.ts';
import { notificationTypes, type Notification } from './notifications.types.ts';

/** A notification as its customer sees it (contract: customers > Notifications). */
export const notificationView = z.object({
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

export const notificationPage = pageOf(notificationView);

export const presentNotification = (
  notification: Notification,
): z.output<typeof notificationView> => ({
  id: notification.id,
  type: notification.type,
  title: notification.title,
  body: notification.body,
  data: notification.data,
  read: notification.readAt !== null,
  createdAt: notification.createdAt.toISOString(),
});
