export { readChainHead, type ChainLink } from './audit-chain.store.ts';
export { createAuditAdminRoutes } from './audit.admin.routes.ts';
export { countOutdatedRows } from './audit.store.ts';
export type { AuditEntry, Refusal } from './audit.types.ts';
export { createChainGauge } from './chain-gauge.ts';
export { createAuditor, type Auditor } from './create-auditor.ts';
export { createRefusalSweep } from './audit.sweeps.ts';
export { verifyChain, type ChainFinding } from './verify-chain.ts';
