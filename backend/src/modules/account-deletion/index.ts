export { createAccountDeletionRoutes } from './account-deletion.customer.routes.ts';
