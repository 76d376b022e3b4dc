export { createGates, type Gates } from './gates.ts';
export {
  cachePassing,
  checkFirstAdmin,
  checkGoldProvider,
  checkMigrations,
  checkPaymentGateways,
  checkPayoutProvider,
  checkPriceFeed,
  checkSecrets,
} from './readiness-checks.ts';
export { createReadinessAdminRoutes } from './readiness.admin.routes.ts';
export { createReadinessCustomerRoutes } from './readiness.customer.routes.ts';
export { createReadinessReport } from './readiness-report.ts';
export { findEvidence, upsertEvidence } from './readiness.store.ts';
export { evidenceItems } from './readiness.types.ts';
