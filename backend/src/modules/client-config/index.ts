export { createClientConfigRoutes } from './client-config.customer.routes.ts';
