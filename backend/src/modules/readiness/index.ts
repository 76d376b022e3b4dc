export {
  cachePassing,
  checkFirstAdmin,
  checkMigrations,
  checkSecrets,
  createGates,
  type Gates,
} from './gates.ts';
export { createReadinessAdminRoutes } from './readiness.admin.routes.ts';
export { createReadinessCustomerRoutes, readGateStates } from './readiness.customer.routes.ts';
export { gateStates } from './readiness.schemas.ts';
export {
  checkGoldProvider,
  checkPaymentGateways,
  checkPayoutProvider,
  checkPriceFeed,
  createReadinessReport,
} from './readiness-report.ts';
export { findEvidence, upsertEvidence } from './readiness.store.ts';
export { evidenceItems, readCertificateValue } from './readiness.types.ts';
