import { addSeconds } from '../../platform/clock/clock.ts';
import { createCallSweep, makeCall } from '../../platform/collaborator-call/index.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError } from '../../platform/observability/index.ts';
import { releaseSale } from '../holdings/index.ts';
import {
  listAbandonedSales,
  listUndecidedSales,
  lockOrder,
  markOrderSwept,
  transitionSale,
} from '../orders/index.ts';
import { acquireVerify, recordVerifyOutcome } from '../provider-operations/index.ts';
import { createSaleCall } from './confirm-sale.ts';
import type { SellingDeps } from './selling.types.ts';

/**
 * The time in seconds after which the process of an unchanged sale is regarded as lost (contract:
 * selling > Lost processes).
 */
const lostSeconds = 60;
/** The shortest time in seconds between two queries for an undecided sale, by any worker. */
const queryAgainSeconds = 30;
const batchSize = 200;
const actor = 'janitor';

/**
 * Fails a sale that was never verified, and makes its grams available again. Returns false if the
 * sale is no longer PENDING or a process holds the lease of its verify.
 */
const failAbandoned = async (deps: SellingDeps, orderId: string): Promise<boolean> => {
  const { inTransaction, clock, random, logger, portfolios } = deps;
  const userId = await inTransaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (order?.status !== 'PENDING' || order.type !== 'SELL') return undefined;
    const holderId = random.uuid();
    // The process may be slow and not lost, so the sale fails only if no process holds the lease.
    const at = clock.now();
    const isAcquired = await acquireVerify(tx, orderId, { holderId, at });
    if (!isAcquired) return undefined;
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
  logger.warn({ orderId }, 'an abandoned sale failed and its grams are available again');
  await portfolios.drop(userId);
  return true;
};

/** Creates the sweeps that end interrupted sales: fail unverified sales, and query undecided ones. */
export const createSellingSweeps = (deps: SellingDeps): Sweep[] => {
  const { db, clock, logger } = deps;
  const confirm = createSaleCall(deps);
  const postpone = ({ id }: { readonly id: string }) => markOrderSwept(db, id, clock.now());
  return [
    {
      name: 'selling-release-abandoned-sales',
      async run(signal) {
        const before = addSeconds(clock.now(), -lostSeconds);
        await sweepRows({
          rows: await listAbandonedSales(db, before, batchSize),
          signal,
          handle: ({ id }) => failAbandoned(deps, id),
          postpone,
          onError: (error, { id: orderId }) =>
            logger.warn({ orderId, err: describeError(error) }, 'a sale is still open'),
        });
      },
    },
    createCallSweep({
      name: 'selling-poll-undecided-sales',
      flow: confirm.flow,
      logger,
      list() {
        const now = clock.now();
        const before = addSeconds(now, -lostSeconds);
        const queriedBefore = addSeconds(now, -queryAgainSeconds);
        return listUndecidedSales(db, before, queriedBefore, batchSize);
      },
      async call(row) {
        const sale = { orderId: row.id, by: { actor }, isOnlyQueried: true } as const;
        const { kind } = await makeCall(deps, confirm, sale);
        if (kind === 'UNKNOWN') await postpone(row);
      },
      postpone,
      fieldsOf: ({ id: orderId }) => ({ orderId }),
    }),
  ];
};
