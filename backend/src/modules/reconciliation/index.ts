export { createReconciliation, type ReconciliationDeps } from './create-reconciliation.ts';
export { checkIds, type CheckId, type Report } from './reconciliation.types.ts';
