export { createActionScopes } from './action-scope.ts';
export { countOutdatedApprovals, resealApprovals } from './approval-sealing.ts';
export { createApprovalExpiry } from './approvals.sweeps.ts';
export { withAdminApprovals } from './admin-approvals.ts';
export { readListedActions } from './read-actions.ts';
export { withAccountingApprovals } from './accounting-approvals.ts';
