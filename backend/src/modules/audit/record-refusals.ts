import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Sweep } from '../../platform/jobs/index.ts';
import type { AuditEntry, Refusal } from './audit.types.ts';
import { countRefusal, takeEndedCounts, type RefusalCount } from './refusal-counts.store.ts';

const minuteMs = 60_000;
const batchSize = 500;

type RecordEntry = (db: Db, entry: AuditEntry) => Promise<void>;

const minuteOf = (at: Date): Date => addMs(at, -(at.getTime() % minuteMs));

const entryOf = ({ action, api, ip, requestId, after }: Refusal): AuditEntry => ({
  action,
  outcome: 'REFUSED',
  actor: { api },
  after,
  requestId,
  ip,
});

/**
 * Records a refusal that a stranger can cause again and again: the first of an address in a minute
 * is an audit row at once, the others are counted, and become one row when the minute has passed.
 */
export const recordRefusal = async (
  { clock, record }: { readonly clock: Clock; readonly record: RecordEntry },
  tx: Db,
  refusal: Refusal,
): Promise<void> => {
  const refusals = await countRefusal(tx, refusal, minuteOf(clock.now()));
  if (refusals === 1) await record(tx, entryOf(refusal));
};

/** The row of those that were only counted. Its request id is the first one's. */
const summaryOf = ({ minute, refusals, details, ...refusal }: RefusalCount): AuditEntry =>
  entryOf({
    ...refusal,
    after: { minute: minute.toISOString(), further: refusals - 1, refused: details },
  });

/** Writes the audit rows of the minutes that have passed. */
export const createRefusalSweep = (options: {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: { readonly record: RecordEntry };
}): Sweep => ({
  name: 'audit-write-refusals',
  async run(signal) {
    const { inTransaction, clock, audit } = options;
    for (let taken = batchSize; taken === batchSize && !signal.aborted;) {
      taken = await inTransaction(async (tx) => {
        const counts = await takeEndedCounts(tx, minuteOf(clock.now()), batchSize);
        for (const count of counts) {
          if (count.refusals > 1) await audit.record(tx, summaryOf(count));
        }
        return counts.length;
      });
    }
  },
});
