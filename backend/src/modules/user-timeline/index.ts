export { createUserTimelineAdminRoutes } from './user-timeline.admin.routes.ts';
