import { addMs } from '../../platform/clock/clock.ts';
import { createCallSweep } from '../../platform/collaborator-call/create-call-sweep.ts';
import { enqueue, sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import { dispatchPayout } from './dispatch-payout.ts';
import { listPayoutsToPoll, markPayoutSwept } from './payout-attempts.store.ts';
import { listUndispatchedPayouts, markResumed } from './payouts.store.ts';
import { dispatchJob } from './payouts.jobs.ts';
import { pollReversals } from './poll-reversals.ts';
import type { PayoutsDeps } from './payouts.types.ts';

/**
 * The time in ms after which a sweep handles a payout that has not changed. Its job may be lost, or the
 * provider must be queried.
 */
const quietMs = 60_000;

const batchSize = 100;

/** Creates the sweeps over payouts and their events. */
export const createPayoutSweeps = (deps: PayoutsDeps, inbox: WebhookInbox<never>): Sweep[] => {
  const { db, clock, logger } = deps;

  const quietBatch = () => {
    const now = clock.now();
    return { quietSince: addMs(now, -quietMs), now, limit: batchSize };
  };

  return [
    { name: 'payouts-apply-due-events', run: (signal) => inbox.retryPendingEvents(signal) },
    { name: 'payouts-apply-matchable-events', run: (signal) => inbox.retryUnmatchedEvents(signal) },
    {
      name: 'payouts-resume-pending',
      async run(signal) {
        await sweepRows({
          rows: await listUndispatchedPayouts(db, quietBatch()),
          signal,
          async handle(payoutId) {
            logger.warn({ payoutId }, 'a dispatch is resumed');
            // The payout is marked first. Otherwise a payout that cannot be enqueued would be first
            // in every batch.
            await markResumed(db, payoutId, clock.now());
            await enqueue(db, dispatchJob(payoutId));
            return true;
          },
          onError: (error, payoutId) =>
            logger.error({ payoutId, err: describeError(error) }, 'a dispatch was not resumed'),
        });
      },
    },
    createCallSweep({
      name: 'payouts-poll-attempts',
      flow: 'payout',
      logger,
      list: () => listPayoutsToPoll(db, quietBatch()),
      call: (payoutId) => dispatchPayout(deps, payoutId),
      postpone: (payoutId) => markPayoutSwept(db, payoutId, clock.now()),
      fieldsOf: (payoutId) => ({ payoutId }),
    }),
    { name: 'payouts-poll-reversals', run: (signal) => pollReversals(deps, signal) },
    { name: 'payouts-purge-bodies', run: () => inbox.purgeEventBodies() },
  ];
};
