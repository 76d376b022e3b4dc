import { addSeconds } from '../../platform/clock/clock.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { mayTrade } from '../kyc/index.ts';
import {
  debitMandate,
  findPaymentOrder,
  listDueDebits,
  markPaymentOrderSwept,
  type PaymentsDeps,
} from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';
import type { Gates } from '../readiness/index.ts';
import { extendPaymentWindow } from './extend-payment-window.ts';

export const DEBIT_TASK = 'gold.debit-installment';

/** Makes the job that debits a mandate at a moment of the business clock. */
export const debitJob = (paymentOrderId: string, dueAt: Date) => ({
  task: DEBIT_TASK,
  payload: { paymentOrderId },
  key: `${DEBIT_TASK}:${paymentOrderId}`,
  dueAt,
});

/** A debit that waits for its gateway, or whose outcome is unknown, is handled again after this. */
const againSeconds = 60;
/** The end of an accepted debit is an event. The gateway is polled only where none came. */
const acceptedSeconds = 900;

interface DebitDeps extends Pick<GoldBase, 'db' | 'inTransaction' | 'clock' | 'logger'> {
  readonly gates: Pick<Gates, 'isBuyOpen'>;
  readonly payments: PaymentsDeps;
}

/** Returns true where the gate is open and the customer of the debit may begin to buy gold. */
const mayRequestDebit = async (
  { db, gates }: DebitDeps,
  paymentOrderId: string,
): Promise<boolean> => {
  if (!(await gates.isBuyOpen())) return false;
  const found = await findPaymentOrder(db, paymentOrderId);
  return found !== undefined && mayTrade(db, found.userId);
};

/**
 * Debits the mandate of an installment that is due. While the gate is closed, or the customer is
 * blocked or has no approved KYC any more, nothing is requested, but debits requested earlier are
 * still polled (contract: plans > Mandates).
 */
export const debitInstallment = async (deps: DebitDeps, paymentOrderId: string): Promise<void> => {
  const mayRequest = await mayRequestDebit(deps, paymentOrderId);
  if (mayRequest) await extendPaymentWindow(deps, paymentOrderId);
  await debitMandate(deps.payments, { paymentOrderId, mayRequest });
};

/**
 * Creates the sweep that debits mandates when they are due, `batchSize` at a time. A pass handles
 * each debit that was due when it began once.
 */
export const createDebitSweep = (deps: DebitDeps, batchSize = 200): Sweep => {
  const { db, clock, logger, gates } = deps;
  return {
    name: 'debit-installments',
    async run(signal) {
      const passBegan = clock.now();
      let isMore = true;
      while (isMore && !signal.aborted) {
        const mayRequest = await gates.isBuyOpen();
        const rows = await listDueDebits(db, {
          now: clock.now(),
          undecidedOnly: !mayRequest,
          queriedBefore: addSeconds(passBegan, -againSeconds),
          acceptedQueriedBefore: addSeconds(passBegan, -acceptedSeconds),
          limit: batchSize,
        });
        await sweepRows({
          rows,
          signal,
          async handle({ id }) {
            // The time is written first, so that a debit that cannot be sent now is not in the next
            // batch.
            await markPaymentOrderSwept(db, id, clock.now());
            // Reads the gate again: a pass may be long, and a closed gate stops it at once.
            await debitInstallment(deps, id);
            return true;
          },
          onError: (error, { id: paymentOrderId }) =>
            logger.error({ paymentOrderId, err: describeError(error) }, 'a debit was not sent'),
        });
        isMore = rows.length === batchSize;
      }
    },
  };
};
