import type { Sweep } from '../../platform/jobs/index.ts';
import { addSeconds } from '../../platform/clock/clock.ts';
import { releaseGrams } from '../holdings/index.ts';
import {
  findOrder,
  isVerifiedSell,
  listAbandonedSells,
  listUndecidedSells,
  lockOrder,
} from '../orders/index.ts';
import { acquireVerify, recordVerifyOutcome } from '../provider-operations/index.ts';
import type { SellDeps } from './sell.deps.ts';
import { readSellVerdict, reviewOf, wordOf } from './sell.rules.ts';
import type { SettleSell } from './settle-sell.ts';
import { verifyLeaseMs } from './verify-sell.ts';

/** How long a sell may stand still before its process counts as lost (decisions, section 3). */
const lostSeconds = 60;
/** An undecided sell is asked about once in a round, however many workers there are. */
const askAgainSeconds = 30;
const batchSize = 200;
const actor = 'janitor';

/**
 * The sweeps over sells. One that was never verified fails, and its gold is free; one
 * that was verified is asked about, and ends only by the provider's own final word.
 */
export const createSellSweeps = (deps: SellDeps & { readonly settleSell: SettleSell }): Sweep[] => {
  const { db, inTransaction, clock, random, logger, provider, transitionSell, settleSell } = deps;

  const giveUp = async (orderId: string): Promise<void> => {
    const userId = await inTransaction(async (tx) => {
      const order = await lockOrder(tx, orderId);
      if (order?.status !== 'PENDING' || order.type !== 'SELL') return undefined;
      const holderId = random.uuid();
      // Taken only while nobody is at it: a slow process is not a lost one.
      if (!(await acquireVerify(tx, orderId, { holderId, leaseMs: verifyLeaseMs })))
        return undefined;
      const at = clock.now();
      const lost = {
        status: 'REFUSED',
        providerTxId: null,
        reason: 'its process was lost',
      } as const;
      await recordVerifyOutcome(tx, orderId, holderId, { ...lost, at });
      const { id, status, grams } = order;
      const changes = { failureCode: 'PROCESS_LOST' };
      const move = { to: 'FAILED', cause: 'process.lost', actor, changes } as const;
      await transitionSell(tx, { id, status }, move);
      if (grams !== null) await releaseGrams(tx, { userId: order.userId, grams, at });
      return order.userId;
    });
    if (userId === undefined) return;
    logger.warn({ orderId }, 'a sell lost its process; its gold is free');
    await deps.portfolios.drop(userId);
  };

  const askAbout = async (orderId: string): Promise<void> => {
    const order = await findOrder(db, orderId);
    if (order === undefined || !isVerifiedSell(order)) return;
    const status = await provider.sellStatus({ providerTxId: order.providerTxId });
    const verdict = readSellVerdict(status);
    const reason = `status ${wordOf(status)}`;
    const result = await settleSell({
      orderId,
      verdict,
      actor,
      cause: verdict === 'SOLD' ? 'provider.sold' : 'provider.not-sold',
      reason,
      mayFail: verdict === 'FAILED',
      review: reviewOf(verdict === 'SOLD' ? 'UNKNOWN' : verdict, undefined),
    });
    const before = { status: order.status, code: order.manualReviewCode };
    logger.info({ orderId, before, verdict, reason, result }, 'asked about a sell');
  };

  return [
    {
      name: 'gold-release-lost-sells',
      async run() {
        const before = addSeconds(clock.now(), -lostSeconds);
        const lost = await listAbandonedSells(db, before, batchSize);
        for (const { id } of lost) await giveUp(id);
      },
    },
    {
      name: 'gold-ask-undecided-sells',
      async run() {
        const now = clock.now();
        const before = addSeconds(now, -lostSeconds);
        const askedBefore = addSeconds(now, -askAgainSeconds);
        const open = await listUndecidedSells(db, before, askedBefore, batchSize);
        for (const { id } of open) await askAbout(id);
      },
    },
  ];
};
