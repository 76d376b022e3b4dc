export { createLegalAdminRoutes } from './legal.admin.routes.ts';
export { createLegalCustomerRoutes } from './legal.customer.routes.ts';
export { policyVersionInForce, readMerchantName } from './legal.read-model.ts';
