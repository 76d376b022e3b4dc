import { addSeconds } from '../../platform/clock/clock.ts';
import { createCallSweep, makeCall } from '../../platform/collaborator-call/index.ts';
import { enqueue, sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import {
  allocationJob,
  listLapsedBuys,
  listOverdueRetries,
  listStalledBuys,
  lockOrder,
  markOrderSwept,
  transitionBuy,
  type TransitionDeps,
} from '../orders/index.ts';
import { expirePaymentOrders, pollGatewaysOfOrder, type PaymentsDeps } from '../payments/index.ts';
import { listUndecidedConfirms, markQueried } from '../provider-operations/index.ts';
import { expireQuotes } from '../quotes/index.ts';
import { createAllocationCall } from './allocate-order.ts';
import type { AllocationDeps } from './buying.types.ts';

/**
 * The time in seconds after which the job of an unchanged paid order, or of an overdue retry, is
 * regarded as lost.
 */
const stalledSeconds = 60;
/** The shortest time in seconds between two queries for an undecided confirm, by any worker. */
const queryAgainSeconds = 30;
const batchSize = 200;
const expiryBatchSize = 500;

interface ExpiryDeps extends Pick<AllocationDeps, 'db' | 'inTransaction' | keyof TransitionDeps> {
  readonly payments: PaymentsDeps;
}

/** Fails an order whose price lock has ended, if it is still PENDING. */
const failUnpaid = (deps: ExpiryDeps, orderId: string): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    const lockEndsAt = order?.lockEndsAt ?? null;
    const isLockValid = lockEndsAt === null || lockEndsAt > deps.clock.now();
    if (order?.status !== 'PENDING' || isLockValid) return;
    await expirePaymentOrders(deps, tx, orderId, 'lock.lapsed');
    const changes = { failureCode: 'LOCK_LAPSED' };
    const step = { to: 'FAILED', cause: 'lock.lapsed', actor: 'worker', changes } as const;
    await transitionBuy(deps, tx, { id: orderId, status: order.status }, step);
  });

/** Creates the sweeps that expire quotes, and orders that were not paid within their price lock. */
export const createExpirySweeps = (deps: ExpiryDeps): Sweep[] => {
  const { db, clock, logger } = deps;
  return [
    {
      name: 'buying-expire-quotes',
      async run(signal) {
        while (!signal.aborted) {
          if ((await expireQuotes(deps, db, expiryBatchSize)) < expiryBatchSize) return;
        }
      },
    },
    {
      name: 'buying-expire-unpaid-orders',
      async run(signal) {
        await sweepRows({
          rows: await listLapsedBuys(db, clock.now(), expiryBatchSize),
          signal,
          async handle({ id: orderId }) {
            // An unknown outcome does not mean unpaid. The order does not change until the gateway
            // responds.
            const isAnswered = await pollGatewaysOfOrder(deps.payments, orderId);
            if (isAnswered) await failUnpaid(deps, orderId);
            else logger.warn({ orderId }, 'an unpaid order waits for its gateway');
            return isAnswered;
          },
          postpone: ({ id }) => markOrderSwept(db, id, clock.now()),
          onError: (error, { id: orderId }) =>
            logger.error({ orderId, err: describeError(error) }, 'an unpaid order did not expire'),
        });
      },
    },
  ];
};

const resumeAllocations = async (
  { db, clock, logger }: AllocationDeps,
  rows: readonly { readonly id: string }[],
  signal: AbortSignal,
  why: string,
): Promise<void> => {
  await sweepRows({
    rows,
    signal,
    async handle({ id: orderId }) {
      logger.warn({ orderId, why }, 'an allocation is resumed');
      // The mark comes first, because the job may not complete the order. The next batch then
      // begins with other orders.
      await markOrderSwept(db, orderId, clock.now());
      await enqueue(db, allocationJob(orderId));
      return true;
    },
    onError: (error, { id: orderId }) =>
      logger.error({ orderId, err: describeError(error) }, 'an allocation was not resumed'),
  });
};

/** Creates the sweeps that resume interrupted allocations, and query undecided confirms. */
export const createAllocationSweeps = (deps: AllocationDeps): Sweep[] => {
  const { db, clock, logger } = deps;
  const call = createAllocationCall(deps);
  return [
    {
      name: 'buying-resume-paid-orders',
      async run(signal) {
        const before = addSeconds(clock.now(), -stalledSeconds);
        const stalled = await listStalledBuys(db, before, batchSize);
        await resumeAllocations(deps, stalled, signal, 'paid, and nothing happened since');
      },
    },
    {
      name: 'buying-resume-allocation-retries',
      async run(signal) {
        const before = addSeconds(clock.now(), -stalledSeconds);
        const overdue = await listOverdueRetries(db, before, batchSize);
        await resumeAllocations(deps, overdue, signal, 'its retry is overdue');
      },
    },
    createCallSweep({
      name: 'buying-poll-undecided-allocations',
      flow: call.flow,
      logger,
      list() {
        const before = addSeconds(clock.now(), -queryAgainSeconds);
        return listUndecidedConfirms(db, 'buy-confirm', before, batchSize);
      },
      call: (undecided) => makeCall(deps, call, { orderId: undecided.orderId, undecided }),
      postpone: ({ id }) => markQueried(db, id, clock.now()),
      fieldsOf: ({ orderId, id: confirmId }) => ({ orderId, confirmId }),
    }),
  ];
};
