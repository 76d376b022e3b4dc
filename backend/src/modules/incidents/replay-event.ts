import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { APPLY_EVENT_TASK as applyKycEvent } from '../kyc/index.ts';
import { APPLY_EVENT_TASK as applyPaymentEvent } from '../payments/index.ts';
import { APPLY_EVENT_TASK as applyPayoutEvent } from '../payouts/index.ts';
import { lockEvent, type InboxSource } from '../webhook-inbox/index.ts';
import { canReplay } from './webhook-events.schemas.ts';

/** The job that applies a stored event of each source. */
const applyTasks: Readonly<Record<InboxSource, string>> = {
  payment: applyPaymentEvent,
  payout: applyPayoutEvent,
  kyc: applyKycEvent,
};

export interface ReplayDeps {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
}

/**
 * Queues a job that applies a stored event now. The audit row is written in the same transaction. Applying
 * an event is idempotent, so a replay never pays twice.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the event does not wait or has no body any more
 */
export const replayEvent = (
  { inTransaction, audit }: ReplayDeps,
  id: string,
  { principal, context }: ByOperator,
): Promise<void> =>
  inTransaction(async (tx) => {
    const event = await lockEvent(tx, id);
    if (event === undefined) throw new AppError('NOT_FOUND');
    const { source, status, attempts } = event;
    if (!canReplay(event, event.sealedBody)) {
      throw new AppError('ILLEGAL_TRANSITION', {
        message: 'Only an event that is not yet applied and still has its body can be replayed.',
        details: { status },
      });
    }
    const key = `${source}-${id}`;
    await enqueue(tx, { task: applyTasks[source], payload: { eventId: id }, key });
    await audit.record(tx, {
      action: 'webhook-event.replay',
      ...adminActor(principal, context),
      target: { type: 'webhook_event', id },
      before: { status, attempts },
      after: { status, attempts, isQueued: true },
    });
  });
