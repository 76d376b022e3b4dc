import { addMs } from '../../platform/clock/clock.ts';
import { enqueue, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import { dispatchJob } from './dispatch-job.ts';
import type { DispatchPayout } from './dispatch-payout.ts';
import { createPayoutAttemptStore } from './payout-attempt.store.ts';
import { createPayoutStore } from './payout.store.ts';
import type { PayoutsDeps } from './payouts.deps.ts';

/** How long a payout may stand still before its job counts as lost, or the provider is asked. */
const quietMs = 60_000;
const batchSize = 100;

/** The sweeps over payouts and their events. */
export const createPayoutSweeps = (
  { db, clock, logger }: Pick<PayoutsDeps, 'db' | 'clock' | 'logger'>,
  dispatch: DispatchPayout,
  inbox: WebhookInbox<never>,
): Sweep[] => [
  { name: 'payouts-apply-due-events', run: () => inbox.retryPendingEvents() },
  { name: 'payouts-apply-matchable-events', run: () => inbox.retryUnmatchedEvents() },
  {
    name: 'payouts-resume-pending',
    async run() {
      const now = clock.now();
      const quietSince = addMs(now, -quietMs);
      for (const id of await createPayoutStore(db).listWaiting(quietSince, now, batchSize)) {
        logger.warn({ payoutId: id }, 'a dispatch is taken up again');
        await enqueue(db, dispatchJob(id));
      }
    },
  },
  {
    name: 'payouts-ask-open-attempts',
    async run() {
      const now = clock.now();
      const quietSince = addMs(now, -quietMs);
      const open = await createPayoutAttemptStore(db).listOpen(quietSince, now, batchSize);
      for (const payoutId of open) {
        await dispatch(payoutId).catch((error: unknown) => {
          logger.warn({ payoutId, err: describeError(error) }, 'a payout is still open');
        });
      }
    },
  },
  { name: 'payouts-purge-bodies', run: () => inbox.purgeEventBodies() },
];
