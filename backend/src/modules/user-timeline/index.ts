export { createUserTimelineRoutes } from './user-timeline.admin.routes.ts';
