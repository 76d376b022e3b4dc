import { addMs } from '../../platform/clock/clock.ts';
import { enqueue, sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import { dispatchPayout } from './dispatch-payout.ts';
import { listPayoutsToPoll } from './payout-attempt.store.ts';
import { listUndispatchedPayouts, markResumed } from './payout.store.ts';
import { dispatchJob } from './payouts.jobs.ts';
import type { PayoutsDeps } from './payouts.types.ts';

/** A payout untouched for longer has lost its job, or its provider is to be queried. */
const quietMs = 60_000;
const batchSize = 100;

/** The sweeps over payouts and their events. */
export const createPayoutSweeps = (deps: PayoutsDeps, inbox: WebhookInbox<never>): Sweep[] => {
  const { db, clock, logger } = deps;

  const quietBatch = () => {
    const now = clock.now();
    return { quietSince: addMs(now, -quietMs), now, limit: batchSize };
  };

  return [
    { name: 'payouts-apply-due-events', run: () => inbox.retryPendingEvents() },
    { name: 'payouts-apply-matchable-events', run: () => inbox.retryUnmatchedEvents() },
    {
      name: 'payouts-resume-pending',
      async run() {
        for (const payoutId of await listUndispatchedPayouts(db, quietBatch())) {
          logger.warn({ payoutId }, 'a dispatch is resumed');
          await enqueue(db, dispatchJob(payoutId));
          await markResumed(db, payoutId, clock.now());
        }
      },
    },
    {
      name: 'payouts-poll-attempts',
      async run(signal) {
        await sweepRows({
          rows: await listPayoutsToPoll(db, quietBatch()),
          signal,
          handle: async (payoutId) => {
            await dispatchPayout(deps, payoutId);
            return true;
          },
          onError: (error, payoutId) =>
            logger.warn({ payoutId, err: describeError(error) }, 'a payout is still open'),
        });
      },
    },
    { name: 'payouts-purge-bodies', run: () => inbox.purgeEventBodies() },
  ];
};
