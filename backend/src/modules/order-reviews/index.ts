export { createOrderReviews } from './create-order-reviews.ts';
