export { createNotify, deleteNotifications } from './notifications.store.ts';
export { createNotificationRoutes } from './notifications.customer.routes.ts';
export { type Notify } from './notifications.types.ts';
