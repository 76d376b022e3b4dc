export { createNotify } from './create-notify.ts';
export {
  notificationTypes,
  type NewNotification,
  type NotificationType,
  type Notify,
} from './notifications.types.ts';
