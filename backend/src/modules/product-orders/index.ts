export { createProductOrderAdminRoutes } from './product-orders.admin.routes.ts';
export { createProductOrderRoutes } from './product-orders.customer.routes.ts';
export { eraseProductOrders, createProductOrderKeyPurge } from './product-orders.store.ts';
