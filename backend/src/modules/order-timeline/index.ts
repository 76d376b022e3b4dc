export { createOrderTimelineAdminRoutes } from './order-timeline.admin.routes.ts';
