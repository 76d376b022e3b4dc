import { z } from 'zod';
import { addSeconds, type Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { sweepRows, type JobHandler, type Sweep } from '../../platform/jobs/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import {
  debitMandate,
  listDueDebits,
  markPaymentOrderSwept,
  type PaymentsDeps,
} from '../payments/index.ts';
import type { Gates } from '../readiness/index.ts';

export const DEBIT_TASK = 'gold.debit-installment';

const payloadSchema = z.object({ paymentOrderId: z.uuid() });

/** Makes the job that debits a mandate at a moment of the business clock. */
export const debitJob = (paymentOrderId: string, dueAt: Date) => ({
  task: DEBIT_TASK,
  payload: { paymentOrderId },
  key: `${DEBIT_TASK}:${paymentOrderId}`,
  dueAt,
});

/** A debit that waits for its gateway, or whose outcome is unknown, is looked at again after it. */
const againSeconds = 60;
/** The end of an accepted debit is an event; it is asked for only where none came. */
const acceptedSeconds = 900;

interface DebitInstallmentsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gates: Pick<Gates, 'isBuyOpen'>;
  readonly payments: PaymentsDeps;
  readonly renewLife: (paymentOrderId: string) => Promise<void>;
  /** The number of debits that are read at a time (default 200). */
  readonly batchSize?: number;
}

/**
 * Creates the job and the sweep that debit mandates when they are due. The gate comes first: while
 * it is closed nothing is requested, and what was requested before is asked about all the same
 * (contract: plans > Mandates).
 */
export const createDebitInstallments = (
  deps: DebitInstallmentsDeps,
): { readonly job: JobHandler; readonly sweep: Sweep } => {
  const { db, clock, logger, gates, payments, renewLife, batchSize = 200 } = deps;

  const debit = async (paymentOrderId: string, mayRequest: boolean): Promise<void> => {
    if (mayRequest) await renewLife(paymentOrderId);
    await debitMandate(payments, paymentOrderId, { mayRequest });
  };

  /** Lists what was due when the pass began: what the pass has looked at is not in it again. */
  const listDue = (mayRequest: boolean, passBegan: Date) =>
    listDueDebits(db, {
      now: clock.now(),
      undecidedOnly: !mayRequest,
      askedBefore: addSeconds(passBegan, -againSeconds),
      acceptedAskedBefore: addSeconds(passBegan, -acceptedSeconds),
      limit: batchSize,
    });

  return {
    job: async (payload) => {
      const { paymentOrderId } = payloadSchema.parse(payload);
      await debit(paymentOrderId, await gates.isBuyOpen());
    },
    sweep: {
      name: 'debit-installments',
      async run(signal) {
        const passBegan = clock.now();
        let isMore = true;
        while (isMore && !signal.aborted) {
          const rows = await listDue(await gates.isBuyOpen(), passBegan);
          await sweepRows({
            rows,
            signal,
            async handle({ id }) {
              // First, so that one that cannot be helped now is not in the next batch.
              await markPaymentOrderSwept(db, id, clock.now());
              // Read each time: a pass may be long, and a gate that is closed stops it at once.
              await debit(id, await gates.isBuyOpen());
              return true;
            },
            onError: (error, { id: paymentOrderId }) =>
              logger.error({ paymentOrderId, err: describeError(error) }, 'a debit did not go out'),
          });
          isMore = rows.length === batchSize;
        }
      },
    },
  };
};
