export { createProductOrderAdminRoutes } from './product-orders.admin.routes.ts';
export { createProductOrderCustomerRoutes } from './product-orders.customer.routes.ts';
export { eraseProductOrders } from './product-orders.store.ts';
export { createProductOrderKeyPurge } from './product-orders.sweeps.ts';
