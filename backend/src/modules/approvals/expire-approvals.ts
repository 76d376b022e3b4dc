import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Auditor } from '../audit/index.ts';
import { expireApproval } from './approvals.states.ts';
import type { ApprovalRequest } from './approvals.types.ts';

export interface ExpiryDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly audit: Auditor;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** Expires a request if it is still pending, and writes the audit row. */
export const expireOne = (
  deps: ExpiryDeps,
  { id, action, target, requestedByEmail }: ApprovalRequest,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    if (!(await expireApproval(deps, tx, id, deps.clock.now()))) return;
    await deps.audit.record(tx, {
      action: 'approval.expire',
      actor: { api: 'system' },
      target: { type: 'approval', id },
      before: { status: 'PENDING', requestedBy: requestedByEmail },
      after: { status: 'EXPIRED', action, target },
      requestId: deps.random.uuid(),
    });
  });
