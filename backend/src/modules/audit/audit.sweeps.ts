import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { sweepBatches, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import {
  listEndedCounts,
  minuteOf,
  summaryOf,
  takeCounts,
  type RecordEntry,
  type RefusalKey,
} from './record-refusals.ts';

const batchSize = 500;

/**
 * Creates the sweep that writes the audit rows of refusals counted in earlier minutes. It works in
 * batches, since a stranger can cause many counts.
 */
export const createRefusalSweep = ({
  db,
  inTransaction,
  clock,
  logger,
  audit,
}: {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
  readonly audit: { readonly record: RecordEntry };
}): Sweep => ({
  name: 'audit-record-refusals',
  async run(signal) {
    const minute = minuteOf(clock.now());
    await sweepBatches({
      rows: (after?: RefusalKey) => listEndedCounts(db, minute, { after, limit: batchSize }),
      signal,
      handle: (keys) =>
        inTransaction(async (tx) => {
          for (const count of await takeCounts(tx, keys)) {
            if (count.refusals > 1) await audit.record(tx, summaryOf(count));
          }
        }),
      onError: (error, { action }) =>
        logger.error({ action, err: describeError(error) }, 'a count of refusals was not written'),
    });
  },
});
