export { countOutdatedRows } from './audit.store.ts';
export type { AuditEntry } from './audit.types.ts';
export { createAudit, createAuditor, type Auditor } from './create-audit.ts';
export { createRefusalSweep } from './record-refusals.ts';
