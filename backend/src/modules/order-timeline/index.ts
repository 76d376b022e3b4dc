export { createOrderTimelineRoutes } from './order-timeline.admin.routes.ts';
