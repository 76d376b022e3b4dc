import { addSeconds } from '../../platform/clock/clock.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { releaseSale } from '../holdings/index.ts';
import {
  findOrder,
  isVerifiedSale,
  listAbandonedSales,
  listUndecidedSales,
  lockOrder,
  markOrderSwept,
  transitionSale,
} from '../orders/index.ts';
import { acquireVerify, recordVerifyOutcome } from '../provider-operations/index.ts';
import { recordSaleOutcome, readSaleVerdict, reviewOf } from './record-sale-outcome.ts';
import type { SellingDeps } from './selling.types.ts';

/** A sale untouched for longer has lost its process (contract: selling > Lost processes). */
const lostSeconds = 60;
/** An undecided sale is queried once in this time, however many workers there are. */
const queryAgainSeconds = 30;
const batchSize = 200;
const actor = 'janitor';

/**
 * Fails a sale that was never verified, and makes its grams available again. Returns false if it is
 * held.
 */
const failAbandoned = async (deps: SellingDeps, orderId: string): Promise<boolean> => {
  const { inTransaction, clock, random, logger, portfolios } = deps;
  const userId = await inTransaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (order?.status !== 'PENDING' || order.type !== 'SELL') return undefined;
    const holderId = random.uuid();
    // Acquired only while nobody holds it: a slow process is not a lost one.
    const at = clock.now();
    const isLost = await acquireVerify(tx, orderId, { holderId, at });
    if (!isLost) return undefined;
    await recordVerifyOutcome(tx, orderId, holderId, {
      status: 'REFUSED',
      providerTxId: null,
      reason: 'its process was lost',
      at,
    });
    const { id, status, grams, userId: seller, createdAt: placedAt } = order;
    await transitionSale(
      deps,
      tx,
      { id, status },
      { to: 'FAILED', cause: 'process.lost', actor, changes: { failureCode: 'PROCESS_LOST' } },
    );
    if (grams !== null) await releaseSale(tx, { userId: seller, grams, at, placedAt });
    return seller;
  });
  if (userId === undefined) return false;
  logger.warn({ orderId }, 'a sale lost its process; its grams are available again');
  await portfolios.drop(userId);
  return true;
};

/**
 * Queries the provider about a verified sale, which ends only by the provider's final answer.
 * Returns false without one.
 */
const queryUndecided = async (deps: SellingDeps, orderId: string): Promise<boolean> => {
  const { db, provider, logger } = deps;
  const order = await findOrder(db, orderId);
  if (order === undefined || !isVerifiedSale(order)) return true;
  const status = await provider.sellStatus({ providerTxId: order.providerTxId });
  const verdict = readSaleVerdict(status);
  const reason = `status ${describeOutcome(status)}`;
  const result = await recordSaleOutcome(deps, {
    orderId,
    verdict,
    actor,
    cause: verdict === 'SOLD' ? 'provider.sold' : 'provider.not-sold',
    reason,
    mayFail: verdict === 'FAILED',
    review: reviewOf(verdict === 'SOLD' ? 'UNKNOWN' : verdict, undefined),
  });
  const before = { status: order.status, code: order.manualReviewCode };
  logger.info({ orderId, before, verdict, reason, result }, 'queried about a sale');
  return result === 'CONFIRMED' || result === 'FAILED';
};

/** The sweeps over sales that were left between two steps. */
export const createSellingSweeps = (deps: SellingDeps): Sweep[] => {
  const { db, clock, logger } = deps;

  const sweep = async (
    rows: readonly { readonly id: string }[],
    signal: AbortSignal,
    work: (deps: SellingDeps, orderId: string) => Promise<boolean>,
  ): Promise<void> => {
    await sweepRows({
      rows,
      signal,
      handle: ({ id }) => work(deps, id),
      postpone: ({ id }) => markOrderSwept(db, id, clock.now()),
      onError: (error, { id }) =>
        logger.warn({ orderId: id, err: describeError(error) }, 'a sale is still open'),
    });
  };

  return [
    {
      name: 'release-abandoned-sales',
      async run(signal) {
        const before = addSeconds(clock.now(), -lostSeconds);
        await sweep(await listAbandonedSales(db, before, batchSize), signal, failAbandoned);
      },
    },
    {
      name: 'poll-undecided-sales',
      async run(signal) {
        const now = clock.now();
        const before = addSeconds(now, -lostSeconds);
        const queriedBefore = addSeconds(now, -queryAgainSeconds);
        const open = await listUndecidedSales(db, before, queriedBefore, batchSize);
        await sweep(open, signal, queryUndecided);
      },
    },
  ];
};
