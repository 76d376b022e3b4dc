export type { AuditEntry } from './audit.types.ts';
export { createAudit, createAuditor, type Auditor } from './create-audit.ts';
