export { createTransactionAdminRoutes } from './transactions.admin.routes.ts';
export { createTransactionCustomerRoutes } from './transactions.customer.routes.ts';
