import { AMOUNT_MISMATCH, GRAMS_MISMATCH, RATE_LAPSED } from '../../adapters/gold-provider/port.ts';
import type { VerifiedTransaction } from '../../adapters/gold-provider/port.ts';
import { toleranceOn, type Bps, type Paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { readAlone } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { describeOutcome, refused, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import { releaseSale } from '../holdings/index.ts';
import { readProviderUserId } from '../identity/index.ts';
import { type GoldOrder, lockOrder, transitionSale } from '../orders/index.ts';
import { acquireVerify, recordVerifyOutcome, renewVerify } from '../provider-operations/index.ts';
import { type SellQuote, findSellQuote, verifyErrorCode } from '../quotes/index.ts';
import { intendConfirm, type ConfirmToSend } from './confirm-sale.ts';
import type { SaleInitiator, SellingDeps } from './selling.types.ts';

/** A placed sale whose verify the caller holds. */
export interface VerifyToSend {
  readonly order: GoldOrder;
  readonly quote: SellQuote;
  readonly holderId: string;
  /** Null for a customer whom the provider does not know. */
  readonly providerUserId: string | null;
}

interface Rate {
  readonly rateId: string;
  readonly rateSellPaise: SellQuote['providerPricePaise'];
}

interface Verified {
  readonly outcome: Outcome<VerifiedTransaction>;
  readonly rate: Rate;
  /** The moment before the call. */
  readonly calledAt: Date;
}

/**
 * Returns true where what a customer is paid does not exceed what the provider pays, after each
 * verify and before it is confirmed (contract: money > Provider's price).
 */
const isCoveredByProvider = (
  customerIsPaidPaise: Paise,
  providerPaysPaise: Paise,
  toleranceBps: Bps,
): boolean =>
  customerIsPaidPaise - providerPaysPaise <= toleranceOn(providerPaysPaise, toleranceBps);

/** Refuses what the provider answered other than asked, or at rupees that ours exceed. */
const judge = (
  order: GoldOrder,
  outcome: Outcome<VerifiedTransaction>,
  toleranceBps: SellingDeps['priceToleranceBps'],
): Outcome<VerifiedTransaction> => {
  if (outcome.kind !== 'done') return outcome;
  const { grams, providerAmountPaise } = outcome.value;
  if (grams !== order.grams) return refused(GRAMS_MISMATCH, 'other grams than asked');
  invariant(order.proceedsPaise, `sell order ${order.id} has its proceeds`);
  if (isCoveredByProvider(order.proceedsPaise, providerAmountPaise, toleranceBps)) return outcome;
  return refused(AMOUNT_MISMATCH, 'the provider pays less than the customer is promised');
};

const verifyAtRate = async (
  { clock, provider, priceToleranceBps }: SellingDeps,
  { order, providerUserId }: VerifyToSend,
  rate: Rate,
): Promise<Verified> => {
  const calledAt = clock.now();
  if (providerUserId === null || order.grams === null) {
    return { outcome: refused('NO_PROVIDER_USER', 'not known there'), rate, calledAt };
  }
  const { id: reference, grams } = order;
  const outcome = await provider.verifySell({ providerUserId, reference, grams, ...rate });
  return { outcome: judge(order, outcome, priceToleranceBps), rate, calledAt };
};

/** Verifies at the quote's rate. A rate is good for minutes: a lapsed one is replaced once. */
const verifyAtProvider = async (deps: SellingDeps, held: VerifyToSend): Promise<Verified> => {
  const { order, quote, holderId } = held;
  const { providerRateId: rateId, providerPricePaise: rateSellPaise } = quote;
  const first = await verifyAtRate(deps, held, { rateId, rateSellPaise });
  const hasLapsed = first.outcome.kind === 'refused' && first.outcome.code === RATE_LAPSED;
  if (!hasLapsed) return first;
  if (!(await renewVerify(deps.db, order.id, holderId))) return first;
  try {
    const live = await deps.price.freshPrice();
    const rate = { rateId: live.sellRateId, rateSellPaise: live.providerSellPaise };
    return await verifyAtRate(deps, held, rate);
  } catch (error) {
    if (!isAppError(error, 'PRICE_UNAVAILABLE')) throw error;
    return { ...first, outcome: unknown('no rate to verify with') };
  }
};

const recordOutcome = (
  deps: SellingDeps,
  { order: { id }, holderId, providerUserId }: VerifyToSend,
  { outcome, rate, calledAt }: Verified,
  by: SaleInitiator,
): Promise<ConfirmToSend | undefined> =>
  deps.inTransaction(async (tx) => {
    const order = await lockOrder(tx, id);
    const at = deps.clock.now();
    const reason = describeOutcome(outcome);
    const isRecorded = await recordVerifyOutcome(tx, id, holderId, {
      status: outcome.kind === 'done' ? 'DONE' : 'REFUSED',
      providerTxId: outcome.kind === 'done' ? outcome.value.providerTxId : null,
      reason,
      at,
    });
    // Another process has acquired the verify, or failed the sale: its outcome counts.
    if (!isRecorded || order?.status !== 'PENDING') throw new AppError('REQUEST_IN_PROGRESS');
    const sale = { id, status: order.status };
    if (outcome.kind === 'done') {
      const { providerTxId, providerAmountPaise } = outcome.value;
      const changes = {
        providerTxId,
        providerAmountPaise,
        providerRateId: rate.rateId,
        lockStartedAt: calledAt,
        lockEndsAt: addMs(calledAt, deps.provider.rules.lockMs),
      };
      const step = { ...by, to: 'VERIFIED', cause: 'provider.verified', changes } as const;
      await transitionSale(deps, tx, sale, step);
      const verified = { ...order, ...changes, status: step.to };
      return intendConfirm(deps, tx, verified, providerUserId);
    }
    await transitionSale(deps, tx, sale, {
      ...by,
      to: 'FAILED',
      cause: 'provider.not-verified',
      detail: { reason },
      changes: { failureCode: verifyErrorCode(outcome) },
    });
    if (order.grams !== null) {
      const { userId, grams, createdAt: placedAt } = order;
      await releaseSale(tx, { userId, grams, at, placedAt });
    }
    return undefined;
  });

/**
 * Acquires the verify of a sale that an earlier process has placed.
 * @throws AppError REQUEST_IN_PROGRESS while another process has it
 */
export const claimVerify = async (
  { db, clock, random }: SellingDeps,
  order: GoldOrder,
): Promise<VerifyToSend> => {
  const holderId = random.uuid();
  if (!(await acquireVerify(db, order.id, { holderId, at: clock.now() }))) {
    throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  }
  const quote = await findSellQuote(db, order.quoteId ?? '', order.userId);
  invariant(quote, `sell order ${order.id} has a quote`);
  const providerUserId = await readAlone(db, readProviderUserId(order.userId));
  return { order, quote, holderId, providerUserId };
};

/**
 * Takes the first step of a placed sale: the provider's verify, PENDING -> VERIFIED, with the intent
 * of the confirm, which it returns, in the same transaction. A verify that
 * is refused, unanswered, of other grams or of less money than was promised binds nobody: the sale
 * is FAILED and its grams are available again (contract: states > Gold order, sell). A repeat after
 * a crash verifies again.
 * @throws AppError REQUEST_IN_PROGRESS where another process has acquired it meanwhile
 */
export const verifySale = async (
  deps: SellingDeps,
  held: VerifyToSend,
  by: SaleInitiator,
): Promise<ConfirmToSend | undefined> => {
  const verified = await verifyAtProvider(deps, held);
  const intended = await recordOutcome(deps, held, verified, by);
  if (verified.outcome.kind !== 'done') await deps.portfolios.drop(held.order.userId);
  return intended;
};
