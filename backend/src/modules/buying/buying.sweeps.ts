import { addSeconds } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { enqueue, sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import {
  allocationJob,
  findOrder,
  listLapsedBuys,
  listOverdueRetries,
  listStalledBuys,
  lockOrder,
  markSwept,
  transitionBuy,
} from '../orders/index.ts';
import { expirePaymentOrders, pollGatewaysOfOrder, type PaymentsDeps } from '../payments/index.ts';
import { listUndecidedConfirms, markQueried, type Confirm } from '../provider-operations/index.ts';
import { expireQuotes } from '../quotes/index.ts';
import type { AllocateDeps } from './allocate-order.ts';
import { readVerdict } from './allocation-verdict.ts';

/** A paid order that stood still for this long, or an overdue retry, has lost its job. */
const stalledSeconds = 60;
/** An undecided confirm is queried once in this time, however many workers there are. */
const queryAgainSeconds = 30;
const batchSize = 200;
const expiryBatchSize = 500;

/** Creates the sweeps that expire quotes, and orders that nobody paid while their lock stood. */
export const createExpirySweeps = (
  deps: Pick<AllocateDeps, 'db' | 'inTransaction' | 'clock' | 'random' | 'logger'> & {
    readonly payments: PaymentsDeps;
  },
): Sweep[] => {
  const { db, inTransaction, clock, logger, payments } = deps;

  const failUnpaid = (orderId: string): Promise<void> =>
    inTransaction(async (tx: Db) => {
      const order = await lockOrder(tx, orderId);
      const lockEndsAt = order?.lockEndsAt ?? null;
      const stands = lockEndsAt === null || lockEndsAt > clock.now();
      if (order?.status !== 'PENDING' || stands) return;
      await expirePaymentOrders(deps, tx, orderId, 'lock.lapsed');
      const changes = { failureCode: 'LOCK_LAPSED' };
      const step = { to: 'FAILED', cause: 'lock.lapsed', actor: 'worker', changes } as const;
      await transitionBuy(deps, tx, { id: orderId, status: order.status }, step);
    });

  return [
    {
      name: 'expire-quotes',
      async run(signal) {
        while (!signal.aborted) {
          if ((await expireQuotes(deps, db, expiryBatchSize)) < expiryBatchSize) return;
        }
      },
    },
    {
      name: 'expire-unpaid-orders',
      async run(signal) {
        await sweepRows({
          rows: await listLapsedBuys(db, clock.now(), expiryBatchSize),
          signal,
          async handle({ id: orderId }) {
            // Unknown is not unpaid: while the gateway gives no answer the order stays as it is.
            const isAnswered = await pollGatewaysOfOrder(payments, orderId);
            if (isAnswered) await failUnpaid(orderId);
            else logger.warn({ orderId }, 'an unpaid order waits for its gateway');
            return isAnswered;
          },
          postpone: ({ id }) => markSwept(db, id, clock.now()),
          onError: (error, { id: orderId }) =>
            logger.error({ orderId, err: describeError(error) }, 'an unpaid order did not expire'),
        });
      },
    },
  ];
};

/** Creates the sweeps that resume allocations left in between, or query their outcome. */
export const createAllocationSweeps = (
  deps: Pick<AllocateDeps, 'db' | 'clock' | 'logger' | 'provider' | 'recordOutcome'>,
): Sweep[] => {
  const { db, clock, logger, provider, recordOutcome } = deps;

  const enqueueAll = async (
    rows: readonly { readonly id: string }[],
    signal: AbortSignal,
    why: string,
  ): Promise<void> => {
    await sweepRows({
      rows,
      signal,
      async handle({ id: orderId }) {
        logger.warn({ orderId, why }, 'an allocation is resumed');
        // First, since it is not known here whether the job will help: the next batch begins with
        // the others.
        await markSwept(db, orderId, clock.now());
        await enqueue(db, allocationJob(orderId));
        return true;
      },
      onError: (error, { id: orderId }) =>
        logger.error({ orderId, err: describeError(error) }, 'an allocation was not resumed'),
    });
  };

  const query = async ({ id: confirmId, orderId, providerTxId, verifiedAt }: Confirm) => {
    const before = await findOrder(db, orderId);
    logger.info({ orderId, confirmId, status: before?.status }, 'querying a confirm');
    const status = await provider.buyStatus({ providerTxId });
    const verdict = readVerdict(status, { verifiedAt, now: clock.now() }, provider.rules);
    const reason = `status ${describeOutcome(status)}`;
    const outcome = { orderId, confirmId, verdict, actor: 'janitor', reason };
    const recorded = await recordOutcome(outcome);
    logger.info({ orderId, confirmId, verdict, recorded }, 'queried a confirm');
  };

  return [
    {
      name: 'resume-paid-orders',
      async run(signal) {
        const before = addSeconds(clock.now(), -stalledSeconds);
        const stalled = await listStalledBuys(db, before, batchSize);
        await enqueueAll(stalled, signal, 'paid, and nothing happened since');
      },
    },
    {
      name: 'resume-allocation-retries',
      async run(signal) {
        const before = addSeconds(clock.now(), -stalledSeconds);
        const overdue = await listOverdueRetries(db, before, batchSize);
        await enqueueAll(overdue, signal, 'its retry is overdue');
      },
    },
    {
      name: 'poll-undecided-allocations',
      async run(signal) {
        const before = addSeconds(clock.now(), -queryAgainSeconds);
        await sweepRows({
          rows: await listUndecidedConfirms(db, 'buy-confirm', before, batchSize),
          signal,
          async handle(confirm) {
            await query(confirm);
            return true;
          },
          postpone: ({ id }) => markQueried(db, id, clock.now()),
          onError: (error, { orderId }) =>
            logger.error({ orderId, err: describeError(error) }, 'a confirm could not be queried'),
        });
      },
    },
  ];
};
