import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import {
  transition,
  tryTransition,
  type Machine,
  type TransitionTable,
} from '../../platform/transitions/transitions.ts';
import { updateDecision } from './approvals.store.ts';
import type { ApprovalRequest, ApprovalStatus } from './approvals.types.ts';

/** Every transition of a request for approval (contract: states > Approval request). */
const approvalTransitions: TransitionTable<ApprovalStatus, 'admin' | 'portal' | 'sweep'> = {
  PENDING: {
    APPROVED: { allowedActors: ['admin', 'portal'], reason: 'a second person approved it' },
    REJECTED: { allowedActors: ['admin', 'portal'], reason: 'a second person rejected it' },
    WITHDRAWN: { allowedActors: ['admin', 'portal'], reason: 'the requester withdrew it' },
    EXPIRED: { allowedActors: ['sweep'], reason: 'no one decided it in time' },
  },
  APPROVED: {},
  REJECTED: {},
  WITHDRAWN: {},
  EXPIRED: {},
};

interface TransitionDeps {
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

const machineOf = ({ logger }: TransitionDeps): Machine<ApprovalStatus> => ({
  name: 'request for approval',
  idField: 'approvalId',
  table: approvalTransitions,
  logger,
});

interface ApprovalTransition {
  readonly to: Exclude<ApprovalStatus, 'EXPIRED'>;
  /** The actor: `admin:<id>` or `portal:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly changes: Pick<ApprovalRequest, 'decidedBy' | 'decidedByEmail' | 'decidedAt'> &
    Partial<Pick<ApprovalRequest, 'contentSealed'>>;
}

/**
 * Changes the state of a pending request. The transaction has locked the request.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the change
 */
export const transitionApproval = (
  deps: TransitionDeps,
  tx: Db,
  id: string,
  { to, actor, cause, changes }: ApprovalTransition,
): Promise<void> => {
  const update = () => updateDecision(tx, id, { ...changes, status: to });
  return transition(machineOf(deps), { id, from: 'PENDING', to, actor, cause, update });
};

/** Expires a request. Returns false if it was decided meanwhile, since its row is not locked. */
export const expireApproval = (
  deps: TransitionDeps,
  tx: Db,
  id: string,
  at: Date,
): Promise<boolean> => {
  const decision = { decidedBy: null, decidedByEmail: null, decidedAt: at };
  return tryTransition(machineOf(deps), {
    id,
    from: 'PENDING',
    to: 'EXPIRED',
    actor: 'sweep',
    cause: 'approval.expired',
    update: () => updateDecision(tx, id, { status: 'EXPIRED', ...decision }),
  });
};
