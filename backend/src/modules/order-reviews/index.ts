export { createOrderReviewRoutes } from './order-reviews.admin.routes.ts';
export { createReviewRoutes } from './reviews.admin.routes.ts';
