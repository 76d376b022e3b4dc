export { createNotify } from './create-notify.ts';
export { type Notify } from './notifications.types.ts';
