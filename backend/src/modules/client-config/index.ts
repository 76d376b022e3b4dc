export { createClientConfigCustomerRoutes } from './client-config.customer.routes.ts';
