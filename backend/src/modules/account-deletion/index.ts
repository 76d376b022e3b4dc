export { createAccountDeletionRoutes } from './account-deletion.customer.routes.ts';
export type { AccountDeletionDeps } from './account-deletion.types.ts';
