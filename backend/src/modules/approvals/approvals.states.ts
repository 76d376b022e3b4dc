import type { Logger } from '../../platform/observability/index.ts';
import type { Machine, TransitionTable } from '../../platform/transitions/transitions.ts';
import type { ApprovalStatus } from './approvals.types.ts';

/** Every transition of a request for approval (contract: states > Approval request). */
const approvalTransitions: TransitionTable<ApprovalStatus, 'admin' | 'portal' | 'sweep'> = {
  PENDING: {
    APPROVED: { allowedActors: ['admin', 'portal'], reason: 'a second person approved it' },
    REJECTED: { allowedActors: ['admin', 'portal'], reason: 'a second person rejected it' },
    WITHDRAWN: { allowedActors: ['admin', 'portal'], reason: 'whoever asked took it back' },
    EXPIRED: { allowedActors: ['sweep'], reason: 'nobody decided it in time' },
  },
  APPROVED: {},
  REJECTED: {},
  WITHDRAWN: {},
  EXPIRED: {},
};

export const approvalMachine = (
  logger: Pick<Logger, 'info' | 'error'>,
): Machine<ApprovalStatus> => ({
  name: 'request for approval',
  idField: 'approvalId',
  table: approvalTransitions,
  logger,
});
