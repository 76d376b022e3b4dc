export { createAccountDeletionCustomerRoutes } from './account-deletion.customer.routes.ts';
