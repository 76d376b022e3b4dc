import type { Db } from '../../platform/db/index.ts';
import { createPayoutAttemptStore } from './payout-attempt.store.ts';
import { createPayoutOutcomeStore } from './payout-outcome.store.ts';
import { createPayoutStore } from './payout.store.ts';
import { tellNotPaid, tellPaid } from './payouts.notifications.ts';
import { isOpenAttempt, newsVerdicts, type NewsVerdict } from './payouts.states.ts';
import type { PayoutsDeps } from './payouts.deps.ts';
import type { AttemptNews, Payout, PayoutAttempt } from './payouts.types.ts';
import type { SellSettlementInfo, SettledSell } from './sell-settlement.ts';

type SettleDeps = Pick<PayoutsDeps, 'clock' | 'logger' | 'notify' | 'provider' | 'sellSettlement'>;

const unexplained = {
  FAILED: 'The payout provider did not pay, and gave no reason.',
  REVERSED: 'The money came back, and the payout provider gave no reason.',
} as const;

/** What is certain of an attempt, and the sell where the news may move it. */
interface Scene {
  readonly attempt: PayoutAttempt;
  readonly payout: Payout;
  readonly sell: SettledSell | undefined;
  readonly news: AttemptNews;
  readonly info: SellSettlementInfo;
}

/** The provider speaks of another payout than the one we asked for: nothing is to be believed. */
const requireSamePayout = ({ attempt, payout, news }: Scene): void => {
  const { amountPaise, providerPayoutId } = news;
  if (amountPaise !== undefined && amountPaise !== payout.amountPaise) {
    throw new Error(`the provider has another amount for payout ${payout.id}`);
  }
  if (attempt.providerPayoutId !== null && attempt.providerPayoutId !== providerPayoutId) {
    throw new Error(`the provider has two payouts of attempt ${attempt.idempotencyKey}`);
  }
};

/**
 * Writes what the provider says of an attempt, in the caller's transaction, which has locked
 * nothing yet of order or payout. `IGNORED` for what changes nothing.
 * @throws when the news can't be of this attempt: an event is kept then, and shows as waiting
 */
export const createSettleAttempt = (deps: SettleDeps) => {
  const { clock, logger, notify, sellSettlement } = deps;

  const complete = async (db: Db, { sell, info }: Scene): Promise<void> => {
    if (sell === undefined || sell.status === 'COMPLETED') return;
    if (sell.status !== 'CONFIRMED') {
      throw new Error(`the paid sell ${sell.id} is ${sell.status}`);
    }
    await sellSettlement.markCompleted(db, sell, info);
  };

  const pay = async (db: Db, scene: Scene): Promise<void> => {
    const { payout, news } = scene;
    const { providerPayoutId, utr } = news;
    await createPayoutOutcomeStore(db).paid(payout.id, { providerPayoutId, utr, at: clock.now() });
    await complete(db, scene);
    await tellPaid(db, notify, payout);
  };

  const end = async (db: Db, scene: Scene, status: 'FAILED' | 'REVERSED'): Promise<void> => {
    const { payout, news, sell, info } = scene;
    const { providerPayoutId, failureReason: reason = unexplained[status] } = news;
    const outcome = { status, providerPayoutId, reason, at: clock.now() };
    await createPayoutOutcomeStore(db).ended(payout.id, outcome);
    if (sell?.status === 'COMPLETED') await sellSettlement.backToConfirmed(db, sell, info);
    await tellNotPaid(db, notify, payout);
  };

  const apply = async (
    db: Db,
    scene: Scene,
    verdict: Exclude<NewsVerdict, 'STALE' | 'CONTRADICTION'>,
  ): Promise<void> => {
    const { attempt, payout, news } = scene;
    const { providerPayoutId, utr, failureReason } = news;
    const at = clock.now();
    if (attempt.attemptNo !== payout.attempt) {
      throw new Error(`attempt ${attempt.idempotencyKey} is open, and not the newest`);
    }
    await createPayoutAttemptStore(db).settle(attempt.id, {
      status: verdict,
      providerPayoutId,
      utr,
      failureReason,
      at,
    });
    if (verdict === 'PAID') await pay(db, scene);
    else if (verdict === 'PROCESSING') {
      await createPayoutOutcomeStore(db).named(payout.id, providerPayoutId, at);
    } else await end(db, scene, verdict);
  };

  const setScene = async (
    db: Db,
    attemptId: string,
    news: AttemptNews,
    info: SellSettlementInfo,
  ): Promise<Scene> => {
    const attempts = createPayoutAttemptStore(db);
    const found = await attempts.find(attemptId);
    if (found === undefined) throw new Error(`no payout attempt ${attemptId}`);
    const mayMoveSell = news.status === 'PAID' || news.status === 'REVERSED';
    const sell = mayMoveSell ? await sellSettlement.lockSell(db, found.orderId) : undefined;
    const payout = await createPayoutStore(db).lock(found.payoutId);
    // Read again: only now nobody else can move it.
    const attempt = await attempts.find(attemptId);
    if (payout === undefined || attempt === undefined) throw new Error('a payout vanished');
    return { attempt, payout, sell, news, info };
  };

  return {
    async news(
      db: Db,
      attemptId: string,
      news: AttemptNews,
      cause: string,
      requestId?: string,
    ): Promise<'APPLIED' | 'IGNORED'> {
      const actor = `payout-provider:${deps.provider.code}`;
      const info = { cause, actor, ...(requestId !== undefined && { requestId }) };
      const scene = await setScene(db, attemptId, news, info);
      const { attempt, payout } = scene;
      const line = { payoutId: payout.id, attempt: attempt.attemptNo, from: attempt.status };
      const verdict = newsVerdicts[attempt.status][news.status];
      if (verdict === 'CONTRADICTION') {
        logger.error(
          { ...line, says: news.status, cause },
          'the payout provider contradicts itself',
        );
      }
      if (verdict === 'CONTRADICTION' || verdict === 'STALE') return 'IGNORED';
      requireSamePayout(scene);
      await apply(db, scene, verdict);
      logger.info({ ...line, to: verdict, cause }, 'payout attempt moved');
      return 'APPLIED';
    },

    /**
     * It certainly was not paid and never will be: the attempt REFUSED, the payout FAILED. Nothing
     * where somebody else took the attempt over since `heldSince`: it may be on its way again.
     */
    async refuse(db: Db, attemptId: string, reason: string, heldSince?: Date): Promise<void> {
      const attempts = createPayoutAttemptStore(db);
      const found = await attempts.find(attemptId);
      if (found === undefined) return;
      const payout = await createPayoutStore(db).lock(found.payoutId);
      const attempt = await attempts.find(attemptId);
      if (payout === undefined || attempt === undefined) return;
      // In the meantime the provider may have said something.
      if (!isOpenAttempt(attempt.status) || attempt.providerPayoutId !== null) return;
      const isHeld = attempt.lastAskedAt?.getTime() === heldSince?.getTime();
      if (heldSince !== undefined && !isHeld) return;
      const at = clock.now();
      await attempts.settle(attemptId, { status: 'REFUSED', failureReason: reason, at });
      const outcome = { status: 'FAILED', providerPayoutId: undefined, reason, at } as const;
      await createPayoutOutcomeStore(db).ended(payout.id, outcome);
      await tellNotPaid(db, notify, payout);
      logger.warn({ payoutId: payout.id, attempt: attempt.attemptNo }, 'payout attempt refused');
    },
  };
};

export type SettleAttempt = ReturnType<typeof createSettleAttempt>;
