export { createOrderReviewRoutes } from './order-reviews.admin.routes.ts';
