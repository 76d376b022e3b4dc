export { createOrderReviewAdminRoutes } from './order-reviews.admin.routes.ts';
export { createReviewAdminRoutes } from './reviews.admin.routes.ts';
