export { createLegalAdminRoutes } from './legal.admin.routes.ts';
export { createLegalRoutes } from './legal.customer.routes.ts';
export { policyVersionInForce, readMerchantName } from './legal.read-model.ts';
