import { addSeconds } from '../../platform/clock/clock.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError } from '../../platform/observability/index.ts';
import {
  listLapsedInstallments,
  lockPayableOrder,
  markOrderFailed,
  markOrderSwept,
  type OrderDeps,
} from '../orders/index.ts';
import {
  expirePaymentOrders,
  isRefusedByEveryGateway,
  listDueDebits,
  listPaymentOrders,
  listUnopenedInstallments,
  markPaymentOrderSwept,
  pollGatewaysOfOrder,
  type PaymentsDeps,
} from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';
import type { Limits } from '../settings/index.ts';
import { debitInstallment, type DebitDeps } from './debit-installments.ts';
import { openInstallmentCheckout } from './open-installment-checkout.ts';

/** A checkout that is not open after so long has lost its job, or its gateway did not answer. */
const unopenedSeconds = 60;

const batchSize = 200;

interface InstallmentSweepsDeps extends GoldBase, OrderDeps {
  readonly payments: PaymentsDeps;
  readonly limits: { current(): Promise<Limits> };
}

const failUnpaid = (deps: InstallmentSweepsDeps, orderId: string): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const order = await lockPayableOrder(tx, orderId);
    // Its deadline was extended, or it was paid, while the gateway was polled.
    const hasLapsed = order.expiresAt !== null && order.expiresAt <= deps.clock.now();
    if (order.status !== 'PENDING' || !hasLapsed) return;
    await expirePaymentOrders(deps, tx, orderId, 'installment.unpaid');
    const by = { cause: 'installment.unpaid', actor: 'worker' };
    await markOrderFailed(deps, tx, order, by, 'UNPAID');
  });

/**
 * Returns true if some gateway could not be reached for the installment. Its 72 h begin once one
 * can.
 */
const isDeferred = async ({ db }: InstallmentSweepsDeps, orderId: string): Promise<boolean> => {
  const paymentOrders = await listPaymentOrders(db, [orderId]);
  const waiting = paymentOrders.find(({ status }) => status === 'CREATED');
  return waiting !== undefined && !(await isRefusedByEveryGateway(db, waiting.id));
};

/** Creates the sweeps that open an installment's checkout, and fail what was not paid in 72 h. */
export const createInstallmentSweeps = (deps: InstallmentSweepsDeps): Sweep[] => {
  const { db, clock, logger } = deps;
  return [
    {
      name: 'buying-open-installment-checkouts',
      async run(signal) {
        const before = addSeconds(clock.now(), -unopenedSeconds);
        await sweepRows({
          rows: await listUnopenedInstallments(db, before, batchSize),
          signal,
          async handle({ id }) {
            await markPaymentOrderSwept(db, id, clock.now());
            return openInstallmentCheckout(deps, id);
          },
          onError: (error, { id: paymentOrderId }) =>
            logger.error(
              { paymentOrderId, err: describeError(error) },
              'a checkout could not be created',
            ),
        });
      },
    },
    {
      name: 'buying-fail-unpaid-installments',
      async run(signal) {
        await sweepRows({
          rows: await listLapsedInstallments(db, clock.now(), batchSize),
          signal,
          async handle({ id: orderId }) {
            if (await isDeferred(deps, orderId)) return false;
            // Unknown is not unpaid: while the gateway gives no answer the order stays as it is.
            const isAnswered = await pollGatewaysOfOrder(deps.payments, orderId);
            if (isAnswered) await failUnpaid(deps, orderId);
            else logger.warn({ orderId }, 'an unpaid installment waits for its gateway');
            return isAnswered;
          },
          postpone: ({ id }) => markOrderSwept(db, id, clock.now()),
          onError: (error, { id: orderId }) =>
            logger.error({ orderId, err: describeError(error) }, 'an installment did not expire'),
        });
      },
    },
  ];
};

/** A debit that waits for its gateway, or whose outcome is unknown, is handled again after this. */
const againSeconds = 60;

/** The end of an accepted debit is an event. The gateway is polled only where none came. */
const acceptedSeconds = 900;

/**
 * Creates the sweep that debits mandates when they are due, `batchSize` at a time. A pass handles
 * each debit that was due when it began once.
 */
export const createDebitSweep = (deps: DebitDeps, batchSize = 200): Sweep => {
  const { db, clock, logger, gates } = deps;
  return {
    name: 'buying-debit-installments',
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
            // First, so that one that cannot be helped now is not in the next batch.
            await markPaymentOrderSwept(db, id, clock.now());
            // Reads the gate again: a pass may be long, and a closed gate stops it at once.
            await debitInstallment(deps, id);
            return true;
          },
          onError: (error, { id: paymentOrderId }) =>
            logger.error({ paymentOrderId, err: describeError(error) }, 'a debit did not go out'),
        });
        isMore = rows.length === batchSize;
      }
    },
  };
};
