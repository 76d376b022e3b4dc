import { GRAMS_MISMATCH, RATE_LAPSED } from '../../adapters/gold-provider/port.ts';
import type { VerifiedTransaction } from '../../adapters/gold-provider/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { refused, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import { releaseGrams } from '../holdings/index.ts';
import { type GoldOrder, lockOrder } from '../orders/index.ts';
import {
  acquireVerify,
  recordVerifyOutcome,
  renewVerify,
  verifyErrorCode,
} from '../provider-operations/index.ts';
import { type SellQuote, findSellQuote } from '../quotes/index.ts';
import type { PlaceSellDeps } from './sell.deps.ts';
import { wordOf } from './sell.rules.ts';
import type { MovedBy } from './settle-sell.ts';

/** How long a process may be at one call, on the database's clock: longer than a call's limit. */
export const verifyLeaseMs = 20_000;

interface Rate {
  readonly rateId: string;
  readonly rateSellPaise: SellQuote['providerPricePaise'];
}

interface Verified {
  readonly outcome: Outcome<VerifiedTransaction>;
  readonly rate: Rate;
  /** The moment before the call. */
  readonly askedAt: Date;
}

/**
 * The first step of a placed sell: the provider's verify, PENDING -> VERIFIED. A verify that is
 * refused, unanswered or of other grams binds nobody: PENDING -> FAILED, and the grams are free
 * (decisions, section 3). A repeat after a crash verifies again.
 */
export const createVerifySell = (deps: PlaceSellDeps) => {
  const { db, inTransaction, clock, random, provider, price, transitionSell } = deps;

  const callWith = async (order: GoldOrder, rate: Rate): Promise<Verified> => {
    const providerUserId = (await deps.findUser(db, order.userId))?.providerUserId ?? null;
    const askedAt = clock.now();
    if (providerUserId === null || order.grams === null) {
      return { outcome: refused('NO_PROVIDER_USER', 'not known there'), rate, askedAt };
    }
    const { id: reference, grams } = order;
    const request = { providerUserId, reference, grams, ...rate };
    const outcome = await provider.verifySell(request);
    const isOther = outcome.kind === 'done' && outcome.value.grams !== grams;
    if (!isOther) return { outcome, rate, askedAt };
    return { outcome: refused(GRAMS_MISMATCH, 'other grams than asked'), rate, askedAt };
  };

  /** A rate is good for minutes; one that ran out on the way is replaced once. */
  const verifyWith = async (order: GoldOrder, quote: SellQuote, holderId: string) => {
    const { providerRateId: rateId, providerPricePaise: rateSellPaise } = quote;
    const first = await callWith(order, { rateId, rateSellPaise });
    const hasLapsed = first.outcome.kind === 'refused' && first.outcome.code === RATE_LAPSED;
    if (!hasLapsed) return first;
    const lease = { holderId, leaseMs: verifyLeaseMs };
    if (!(await renewVerify(db, order.id, lease))) return first;
    try {
      const live = await price.freshPrice();
      return await callWith(order, {
        rateId: live.sellRateId,
        rateSellPaise: live.providerSellPaise,
      });
    } catch (error) {
      if (!isAppError(error, 'PRICE_UNAVAILABLE')) throw error;
      return { ...first, outcome: unknown('no rate to verify with') };
    }
  };

  const settle = (order: GoldOrder, holderId: string, verified: Verified, by: MovedBy) =>
    inTransaction(async (tx) => {
      const now = await lockOrder(tx, order.id);
      const { outcome, rate, askedAt } = verified;
      const at = clock.now();
      const isDone = outcome.kind === 'done';
      const settled = await recordVerifyOutcome(tx, order.id, holderId, {
        status: isDone ? 'DONE' : 'REFUSED',
        providerTxId: isDone ? outcome.value.providerTxId : null,
        reason: wordOf(outcome),
        at,
      });
      // Somebody took it over meanwhile, or gave the sell up: theirs is what counts.
      if (!settled || now?.status !== 'PENDING') throw new AppError('REQUEST_IN_PROGRESS');
      const sell = { id: order.id, status: now.status };
      if (isDone) {
        const { providerTxId, providerAmountPaise } = outcome.value;
        const lockEndsAt = addMs(askedAt, provider.rules.lockMs);
        const { rateId: providerRateId } = rate;
        const lock = { lockStartedAt: askedAt, lockEndsAt };
        const changes = { providerTxId, providerRateId, providerAmountPaise, ...lock };
        return transitionSell(tx, sell, {
          ...by,
          to: 'VERIFIED',
          cause: 'provider.verified',
          changes,
        });
      }
      const failureCode = verifyErrorCode(outcome);
      const detail = { reason: wordOf(outcome) };
      const move = { to: 'FAILED', cause: 'provider.not-verified', detail } as const;
      await transitionSell(tx, sell, { ...by, ...move, changes: { failureCode } });
      if (now.grams !== null) {
        await releaseGrams(tx, { userId: now.userId, grams: now.grams, at });
      }
    });

  /** @throws AppError REQUEST_IN_PROGRESS while another process is at it */
  return async (order: GoldOrder, by: MovedBy): Promise<void> => {
    const holderId = random.uuid();
    if (!(await acquireVerify(db, order.id, { holderId, leaseMs: verifyLeaseMs }))) {
      throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
    }
    const quote = await findSellQuote(db, order.quoteId ?? '', order.userId);
    if (quote === undefined) throw new Error(`sell ${order.id} has no quote`);
    const verified = await verifyWith(order, quote, holderId);
    await settle(order, holderId, verified, by);
    if (verified.outcome.kind !== 'done') await deps.portfolios.drop(order.userId);
  };
};

export type VerifySell = ReturnType<typeof createVerifySell>;
