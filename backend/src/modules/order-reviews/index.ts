export { createOrderAdminRoute } from './order.admin.routes.ts';
export { createResolveAllocate } from './resolve-allocate.ts';
export { createResolveReview } from './resolve-review.ts';
export { createResolveSell } from './resolve-sell.ts';
export { createResolveRoutes } from './resolve.admin.routes.ts';
export { type OrderPayments, createShowOrder } from './show-order.ts';
