export { createGates, type Gates } from './gates.ts';
export * from './looks.ts';
export { createReadinessAdminRoutes } from './readiness.admin.routes.ts';
export { createReadinessCustomerRoutes } from './readiness.customer.routes.ts';
export { createReadinessReport } from './readiness.service.ts';
export { createReadinessStore } from './readiness.store.ts';
export { evidenceItems, type EvidenceItem } from './readiness.types.ts';
