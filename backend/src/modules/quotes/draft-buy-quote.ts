import { AMOUNT_MISMATCH, RATE_LAPSED } from '../../adapters/gold-provider/port.ts';
import type { GoldProvider, VerifyBuyRequest } from '../../adapters/gold-provider/port.ts';
import type { Bps, BuyBreakdown } from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { LivePrice, LivePriceReader } from '../price/index.ts';
import type { Limits } from '../settings/index.ts';
import { coversCharge, verifyError } from '../provider-operations/index.ts';
import { requireProviderUser, verifiablePrice } from './quote-price.ts';
import { breakDownBuy, checkBuyAmount, checkDailyBuys } from './quote.rules.ts';
import type { BuyQuote, GoldAmount } from './quotes.types.ts';

/** The mechanics of a use case. */
export interface GoldBase {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface QuoteDeps extends GoldBase {
  readonly provider: GoldProvider;
  readonly price: LivePriceReader;
  readonly limits: { current(): Promise<Limits> };
  /** @throws AppError KYC_REQUIRED */
  readonly requireApprovedKyc: (db: Db, userId: string) => Promise<void>;
  readonly findUser: (
    db: Db,
    userId: string,
  ) => Promise<{ readonly providerUserId: string | null } | undefined>;
  readonly gstRateBpsOn: (db: Db, at: Date) => Promise<Bps>;
  /** The tolerance towards the provider's price (contract: money > Provider's price). */
  readonly priceToleranceBps: Bps;
}

/** The life of a buy quote, where the lock allows it (contract: limits > Quotes and locks). */
const quoteLifeMs = 420_000;
/** A quote ends this long before its lock: the customer still has to pay. */
const lockMarginMs = 45_000;

/** A quote; or the refusal of one whose rate may be another by now, so that it is worth a retry. */
type Drafted =
  | { readonly quote: BuyQuote }
  | { readonly refusal: AppError; readonly hasLapsed: boolean };

const hasMoved = (from: LivePrice, to: LivePrice): boolean =>
  from.providerBuyPaise !== to.providerBuyPaise || from.providerTaxBps !== to.providerTaxBps;

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

export type DraftBuyQuote = (userId: string, amount: GoldAmount) => Promise<BuyQuote>;

/**
 * Makes a buy quote with the provider's lock behind it, in the order of refusals: KYC, limits,
 * price, provider (contract: conventions > Order of refusals). It writes nothing: a verify binds
 * nobody until it is confirmed.
 * @throws AppError KYC_REQUIRED, LIMIT_EXCEEDED, AMOUNT_TOO_SMALL, PRICE_UNAVAILABLE,
 *   PROVIDER_UNAVAILABLE, PROVIDER_REFUSED, PROVIDER_MISMATCH
 */
export const createDraftBuyQuote = (deps: QuoteDeps): DraftBuyQuote => {
  const { db, clock, random, logger, provider, price, limits } = deps;

  const checkLimits = async (userId: string, amountPaise: BuyBreakdown['totalPaise']) => {
    const inForce = await limits.current();
    checkBuyAmount(inForce, amountPaise);
    await checkDailyBuys(db, { userId, amountPaise }, inForce, clock.now());
  };

  const quoteAt = async (
    live: LivePrice,
    userId: string,
    amount: GoldAmount,
    providerUserId: string,
  ): Promise<Drafted> => {
    const id = random.uuid();
    const gstBps = await deps.gstRateBpsOn(db, clock.now());
    const breakdown = breakDownBuy(amount, live.buyPaise, gstBps);
    if (amount.unit === 'GRAMS') await checkLimits(userId, breakdown.totalPaise);
    const request: VerifyBuyRequest = {
      providerUserId,
      reference: id,
      rateId: live.buyRateId,
      rateBuyPaise: live.providerBuyPaise,
      rateTaxBps: live.providerTaxBps,
      grams: breakdown.grams,
    };
    // The lock runs from the moment before the call: what it costs is ours, not the provider's.
    const lockStartedAt = clock.now();
    const verified = await provider.verifyBuy(request);
    if (verified.kind !== 'done') {
      const refusal = verifyError(verified);
      const hasLapsed = verified.kind === 'refused' && verified.code === RATE_LAPSED;
      const isOtherRate = verified.kind === 'refused' && verified.code === AMOUNT_MISMATCH;
      if (hasLapsed || isOtherRate) return { refusal, hasLapsed };
      throw refusal;
    }
    const { providerTxId, grams, providerAmountPaise } = verified.value;
    if (grams !== breakdown.grams) throw new AppError('PROVIDER_MISMATCH');
    if (!coversCharge(breakdown.totalPaise, providerAmountPaise, deps.priceToleranceBps)) {
      return { refusal: new AppError('PROVIDER_MISMATCH'), hasLapsed: false };
    }
    const createdAt = clock.now();
    const lockEndsAt = addMs(lockStartedAt, provider.rules.lockMs);
    const expiresAt = earlier(addMs(createdAt, quoteLifeMs), addMs(lockEndsAt, -lockMarginMs));
    if (expiresAt <= createdAt) throw new AppError('PROVIDER_UNAVAILABLE');
    const quote: BuyQuote = {
      ...breakdown,
      id,
      userId,
      status: 'ACTIVE',
      unit: amount.unit,
      requested: amount.requested,
      pricePerGramPaise: live.buyPaise,
      gstRateBps: gstBps,
      provider: provider.code,
      providerTxId,
      providerRateId: live.buyRateId,
      providerAmountPaise,
      lockStartedAt,
      lockEndsAt,
      expiresAt,
      createdAt,
    };
    return { quote };
  };

  return async (userId, amount) => {
    const providerUserId = await requireProviderUser(deps, userId);
    if (amount.unit === 'INR') await checkLimits(userId, amount.amountPaise);
    const live = await verifiablePrice(deps);
    const first = await quoteAt(live, userId, amount, providerUserId);
    if ('quote' in first) return first.quote;
    // A rate that ran out on the way, or is another by now, is replaced once.
    const fresh = await price.freshPrice();
    if (!first.hasLapsed && !hasMoved(live, fresh)) {
      logger.error({ userId }, "a quote below the provider's charge was refused");
      throw first.refusal;
    }
    logger.info({ userId }, 'the rate of a quote was another by now, drafting it again');
    const second = await quoteAt(fresh, userId, amount, providerUserId);
    if ('quote' in second) return second.quote;
    throw second.refusal;
  };
};
