export { createTransactionAdminRoutes } from './transactions.admin.routes.ts';
export { createTransactionRoutes } from './transactions.customer.routes.ts';
