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

/**
 * The time in seconds after which the sweep opens a checkout that is still closed, because its job
 * was lost or its gateway did not respond.
 */
const unopenedSeconds = 60;

const batchSize = 200;

interface InstallmentSweepsDeps extends GoldBase, OrderDeps {
  readonly payments: PaymentsDeps;
  readonly limits: { current(): Promise<Limits> };
}

/** Fails an installment whose time to pay has ended, if it is still PENDING. */
const failUnpaid = (deps: InstallmentSweepsDeps, orderId: string): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const order = await lockPayableOrder(tx, orderId);
    // While the gateway was polled, the deadline may have been extended.
    const hasLapsed = order.expiresAt !== null && order.expiresAt <= deps.clock.now();
    if (order.status !== 'PENDING' || !hasLapsed) return;
    await expirePaymentOrders(deps, tx, orderId, 'installment.unpaid');
    const by = { cause: 'installment.unpaid', actor: 'worker' };
    await markOrderFailed(deps, tx, order, by, 'UNPAID');
  });

/**
 * Returns true if the installment waits for a gateway that can be reached. Its 72 h begin again when
 * its checkout is opened.
 */
const isDeferred = async ({ db }: InstallmentSweepsDeps, orderId: string): Promise<boolean> => {
  const paymentOrders = await listPaymentOrders(db, [orderId]);
  const waiting = paymentOrders.find(({ status }) => status === 'CREATED');
  return waiting !== undefined && !(await isRefusedByEveryGateway(db, waiting.id));
};

/**
 * Creates the sweeps that open the checkouts of installments, and fail installments that were not
 * paid in 72 h.
 */
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
            // An unknown outcome does not mean unpaid. The order does not change until the gateway
            // responds.
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

/**
 * The time in seconds after which a debit that waits for its gateway, or whose outcome is unknown,
 * is handled again.
 */
const retrySeconds = 60;

/**
 * The time in seconds after which the gateway of an accepted debit is polled, if no event has
 * reported the outcome.
 */
const acceptedSeconds = 900;

/**
 * Creates the sweep that debits mandates when they are due, in batches of `batchSize`. One pass
 * handles each debit that was due at its start once.
 */
export const createDebitSweep = (deps: DebitDeps, batchSize = 200): Sweep => {
  const { db, clock, logger, gates } = deps;
  return {
    name: 'buying-debit-installments',
    async run(signal) {
      const passStartedAt = clock.now();
      let hasMore = true;
      while (hasMore && !signal.aborted) {
        const mayRequest = await gates.isBuyOpen();
        const rows = await listDueDebits(db, {
          now: clock.now(),
          undecidedOnly: !mayRequest,
          queriedBefore: addSeconds(passStartedAt, -retrySeconds),
          acceptedQueriedBefore: addSeconds(passStartedAt, -acceptedSeconds),
          limit: batchSize,
        });
        await sweepRows({
          rows,
          signal,
          async handle({ id }) {
            // The mark comes first, so that a debit that cannot be completed now is not listed again
            // in this pass.
            await markPaymentOrderSwept(db, id, clock.now());
            // Reads the gate again, because a pass may be long and a closed gate must stop it at
            // once.
            await debitInstallment(deps, id);
            return true;
          },
          onError: (error, { id: paymentOrderId }) =>
            logger.error({ paymentOrderId, err: describeError(error) }, 'a debit did not go out'),
        });
        hasMore = rows.length === batchSize;
      }
    },
  };
};
