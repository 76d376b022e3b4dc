export { createNotify, deleteNotifications } from './notifications.store.ts';
export { createNotificationCustomerRoutes } from './notifications.customer.routes.ts';
export { type Notify } from './notifications.types.ts';
