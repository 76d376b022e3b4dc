export { createNotify } from './create-notify.ts';
export { deleteNotifications } from './delete-notifications.ts';
export { createNotificationRoutes } from './notifications.customer.routes.ts';
export { type Notify } from './notifications.types.ts';
