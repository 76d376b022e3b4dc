export { createTransactionRoutes } from './transactions.customer.routes.ts';
