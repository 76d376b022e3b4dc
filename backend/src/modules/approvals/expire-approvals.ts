import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { type Logger } from '../../platform/observability/index.ts';
import { tryTransition } from '../../platform/transitions/transitions.ts';
import type { Auditor } from '../audit/index.ts';
import { approvalMachine } from './approvals.states.ts';
import { updateDecision } from './approvals.store.ts';
import type { ApprovalRequest } from './approvals.types.ts';

export interface ExpiryDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly audit: Auditor;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** Ends a request whose time to decide is over, if it is still pending. */
export const expireOne = (
  { inTransaction, clock, random, audit, logger }: ExpiryDeps,
  { id, action, target, requestedByEmail }: ApprovalRequest,
): Promise<void> =>
  inTransaction(async (tx) => {
    const decision = { decidedBy: null, decidedByEmail: null, decidedAt: clock.now() };
    const isOver = await tryTransition(approvalMachine(logger), {
      id,
      from: 'PENDING',
      to: 'EXPIRED',
      actor: 'sweep',
      cause: 'approval.expired',
      update: () => updateDecision(tx, id, { status: 'EXPIRED', ...decision }),
    });
    if (!isOver) return;
    await audit.record(tx, {
      action: 'approval.expire',
      actor: { api: 'system' },
      target: { type: 'approval', id },
      before: { status: 'PENDING', requestedBy: requestedByEmail },
      after: { status: 'EXPIRED', action, target },
      requestId: random.uuid(),
    });
  });
