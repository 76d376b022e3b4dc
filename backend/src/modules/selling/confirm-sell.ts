import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { describeError } from '../../platform/observability/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import {
  type VerifiedSell,
  findOrder,
  isVerifiedSell,
  lockOrder,
  sendSellToReview,
} from '../orders/index.ts';
import {
  acquireConfirm,
  confirmLeaseMs,
  findLatestConfirm,
  newConfirm,
  recordIntent,
  renewConfirm,
} from '../provider-operations/index.ts';
import type { PlaceSellDeps } from './sell.deps.ts';
import { readSellVerdict, reviewOf, wordOf, type SellVerdict } from './sell.rules.ts';
import { type MovedBy, type SettleSell } from './settle-sell.ts';

type Claim =
  /** Nothing is to be confirmed: only the order-status may be asked. */
  | { readonly kind: 'ASK'; readonly order: VerifiedSell; readonly isUnderReview: boolean }
  /** The intent is written and held; `askFirst` where an earlier try may have gone through. */
  | {
      readonly kind: 'CONFIRM';
      readonly order: VerifiedSell;
      readonly confirmId: string;
      readonly holderId: string;
      readonly askFirst: boolean;
    }
  | { readonly kind: 'LEAVE' };

/** What was found, in the words of the one who settles it. */
const findingOf = (
  order: VerifiedSell,
  asked: { readonly verdict: SellVerdict; readonly word: string },
  by: MovedBy,
  confirmed?: Outcome<{ readonly invoiceId?: string }>,
) => {
  const { verdict, word } = asked;
  return {
    ...by,
    orderId: order.id,
    verdict,
    cause: verdict === 'SOLD' ? 'provider.sold' : 'provider.not-sold',
    reason:
      confirmed === undefined ? `status ${word}` : `confirm ${wordOf(confirmed)}, status ${word}`,
    invoiceId: confirmed?.kind === 'done' ? confirmed.value.invoiceId : undefined,
    certainlyNot: confirmed?.kind === 'refused',
    mayFail: false,
    review: reviewOf(verdict === 'SOLD' ? 'UNKNOWN' : verdict, confirmed),
  };
};

/**
 * The second step of a sell: the provider's confirm and its order-status, VERIFIED -> CONFIRMED.
 * The intent is committed before the confirm, the status is asked after every confirm and before
 * any further one, and only the status decides. Whatever else happens leaves the sell VERIFIED and
 * under review, with its grams reserved; a sell under review is never confirmed again, only asked
 * about (decisions, section 3).
 */
export const createConfirmSell = (deps: PlaceSellDeps & { readonly settleSell: SettleSell }) => {
  const { db, inTransaction, clock, random, logger, provider, settleSell } = deps;

  const claim = (orderId: string): Promise<Claim> =>
    inTransaction(async (tx) => {
      const order = await lockOrder(tx, orderId);
      if (order === undefined || !isVerifiedSell(order)) return { kind: 'LEAVE' };
      const latest = await findLatestConfirm(tx, 'sell-confirm', orderId);
      const busy = new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
      if (latest?.isHeld === true) throw busy;
      const isUnderReview = order.manualReviewCode !== null;
      const now = clock.now();
      const isOver = now >= order.lockEndsAt || latest?.status === 'REFUSED';
      if (isUnderReview || isOver) return { kind: 'ASK', order, isUnderReview };
      const holderId = random.uuid();
      const lease = { holderId, leaseMs: confirmLeaseMs };
      if (latest === undefined) {
        const confirm = newConfirm(order, { id: random.uuid(), at: now });
        await recordIntent(tx, 'sell-confirm', confirm, lease);
        return { kind: 'CONFIRM', order, confirmId: confirm.id, holderId, askFirst: false };
      }
      if (!(await acquireConfirm(tx, latest.id, lease))) throw busy;
      return { kind: 'CONFIRM', order, confirmId: latest.id, holderId, askFirst: true };
    });

  const ask = async (order: VerifiedSell): Promise<{ verdict: SellVerdict; word: string }> => {
    const status = await provider.sellStatus({ providerTxId: order.providerTxId });
    return { verdict: readSellVerdict(status), word: wordOf(status) };
  };

  const confirm = async (order: VerifiedSell) => {
    const providerUserId = (await deps.findUser(db, order.userId))?.providerUserId ?? null;
    if (providerUserId === null) throw new Error(`sell ${order.id} lacks what a confirm needs`);
    const { providerTxId, grams, providerAmountPaise, id: reference, providerRateId } = order;
    return provider.confirmSell({
      providerUserId,
      providerTxId,
      grams,
      providerAmountPaise,
      // The same as at the verify: what a provider without transaction ids of its own goes by.
      reference,
      rateId: providerRateId ?? '',
    });
  };

  const confirmAndAsk = async (claimed: Extract<Claim, { kind: 'CONFIRM' }>, by: MovedBy) => {
    const { order, confirmId, holderId, askFirst } = claimed;
    const held = { confirmId, holderId };
    if (askFirst) {
      const asked = await ask(order);
      const mayConfirm = asked.verdict === 'NOT_CONFIRMED' && clock.now() < order.lockEndsAt;
      if (!mayConfirm) return settleSell({ ...findingOf(order, asked, by), held });
      if (!(await renewConfirm(db, confirmId, { holderId, leaseMs: confirmLeaseMs }))) {
        throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
      }
    }
    const confirmed = await confirm(order);
    return settleSell({ ...findingOf(order, await ask(order), by, confirmed), held });
  };

  const askAbout = async (
    { order, isUnderReview }: Extract<Claim, { kind: 'ASK' }>,
    by: MovedBy,
  ) => {
    const asked = await ask(order);
    // Under review, the provider's own final word ends it, whoever hears it.
    const mayFail = isUnderReview && asked.verdict === 'FAILED';
    return settleSell({ ...findingOf(order, asked, by), mayFail });
  };

  /** Nobody may be told that a verified sell is cancelled, whatever broke. */
  const afterError = async (orderId: string, error: unknown): Promise<void> => {
    logger.error({ orderId, err: describeError(error) }, 'a verified sell broke');
    const review = { ...reviewOf('UNKNOWN', undefined), at: clock.now() };
    try {
      await sendSellToReview(db, orderId, review);
      // It may have broken after the commit that ended it.
      if ((await findOrder(db, orderId))?.status !== 'VERIFIED') return;
    } catch (second) {
      // The janitor finds it: VERIFIED, and nobody at it.
      logger.error({ orderId, err: describeError(second) }, 'a sell could not be put under review');
    }
    throw new AppError('SELL_UNDER_REVIEW', { cause: error });
  };

  /** @throws AppError SELL_UNDER_REVIEW; REQUEST_IN_PROGRESS while another process is at it */
  return async (orderId: string, by: MovedBy): Promise<void> => {
    try {
      const claimed = await claim(orderId);
      if (claimed.kind === 'CONFIRM') await confirmAndAsk(claimed, by);
      if (claimed.kind === 'ASK') await askAbout(claimed, by);
    } catch (error) {
      if (isAppError(error, 'REQUEST_IN_PROGRESS')) throw error;
      await afterError(orderId, error);
    }
  };
};

export type ConfirmSell = ReturnType<typeof createConfirmSell>;
