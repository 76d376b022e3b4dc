import {
  type GoldProvider,
  AMOUNT_MISMATCH,
  GRAMS_MISMATCH,
  RATE_LAPSED,
} from '../../adapters/gold-provider/port.ts';
import {
  buyByGrams,
  buyByInr,
  toleranceOn,
  type Bps,
  type BuyBreakdown,
  type Paise,
} from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { refused, type Outcome } from '../../platform/outcome/outcome.ts';
import { findUser } from '../identity/index.ts';
import { requireApprovedKyc } from '../kyc/index.ts';
import { type LivePriceReader, verifiablePrice, type LivePrice } from '../price/index.ts';
import type { Limits } from '../settings/index.ts';
import { gstRateBpsOn } from '../accounting/index.ts';
import { breakDown, checkBuyAmount, checkDailyBuys } from './quote.rules.ts';
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
  /** The tolerance towards the provider's price (contract: money > Provider's price). */
  readonly priceToleranceBps: Bps;
}

/**
 * Returns the provider's id of the customer.
 * @throws AppError KYC_REQUIRED
 */
export const requireProviderUser = async (db: Db, userId: string): Promise<string> => {
  const [user] = await Promise.all([findUser(db, userId), requireApprovedKyc(db, userId)]);
  // Approval registers with the provider first, so whoever is approved has an id there.
  const id = user?.providerUserId ?? null;
  if (id === null) throw new AppError('KYC_REQUIRED');
  return id;
};

/** The life of a buy quote, where the lock allows it (contract: limits > Quotes and locks). */
const quoteLifeMs = 420_000;
/** A quote ends this long before its lock: the customer still has to pay. */
const lockMarginMs = 45_000;

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** A quote is asked for under the limits that are in force for the request. */
export type DraftBuyQuote = (
  userId: string,
  amount: GoldAmount,
  limits: Limits,
) => Promise<BuyQuote>;

/**
 * Makes a buy quote with the provider's lock behind it, in the order of refusals: KYC, limits,
 * price, provider (contract: conventions > Order of refusals). It writes nothing: a verify binds
 * nobody until it is confirmed.
 * @throws AppError KYC_REQUIRED, LIMIT_EXCEEDED, AMOUNT_TOO_SMALL, PRICE_UNAVAILABLE,
 *   PROVIDER_UNAVAILABLE, PROVIDER_REFUSED, PROVIDER_MISMATCH
 */
export const createDraftBuyQuote = (deps: Omit<QuoteDeps, 'limits'>): DraftBuyQuote => {
  const { db, clock, random } = deps;
  const verifyBuy = createVerifyBuy(deps);

  return async (userId, amount, limits) => {
    const checkLimits = async (amountPaise: Paise): Promise<void> => {
      checkBuyAmount(limits, amountPaise);
      await checkDailyBuys(db, { userId, amountPaise }, limits, clock.now());
    };
    const providerUserId = await requireProviderUser(db, userId);
    if (amount.unit === 'INR') await checkLimits(amount.amountPaise);
    const id = random.uuid();
    const verified = await verifyBuy({
      userId,
      providerUserId,
      amount,
      reference: id,
      ...(amount.unit === 'GRAMS' && {
        check: ({ totalPaise }: BuyBreakdown) => checkLimits(totalPaise),
      }),
    });
    const createdAt = clock.now();
    const lockMargin = addMs(verified.lockEndsAt, -lockMarginMs);
    const expiresAt = earlier(addMs(createdAt, quoteLifeMs), lockMargin);
    if (expiresAt <= createdAt) throw new AppError('PROVIDER_UNAVAILABLE');
    const { unit, requested } = amount;
    return { ...verified, id, userId, status: 'ACTIVE', unit, requested, expiresAt, createdAt };
  };
};

/** A purchase that the provider would make at our price, until its lock ends. */
export interface VerifiedBuy extends BuyBreakdown {
  readonly pricePerGramPaise: Paise;
  readonly gstRateBps: Bps;
  readonly provider: string;
  readonly providerTxId: string;
  readonly providerRateId: string;
  /** The provider's charge for the grams, by its own arithmetic. */
  readonly providerAmountPaise: Paise;
  /** The moment before the verify call. */
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
}

interface BuyToVerify {
  readonly userId: string;
  readonly providerUserId: string;
  readonly amount: GoldAmount;
  /** Our own stable id of this attempt. */
  readonly reference: string;
  /** Throws whatever refuses this breakdown, before the provider is called. */
  readonly check?: (breakdown: BuyBreakdown) => Promise<void>;
}

type VerifyBuyDeps = Pick<
  QuoteDeps,
  'db' | 'clock' | 'logger' | 'provider' | 'price' | 'priceToleranceBps'
>;

/**
 * Breaks a buy at a price down into its parts (contract: money > Breakdown of a buy).
 * @throws AppError AMOUNT_TOO_SMALL when it comes to no gold, or to no money
 */
const breakDownBuy = (amount: GoldAmount, buyPaise: Paise, gstBps: Bps): BuyBreakdown =>
  breakDown(() =>
    amount.unit === 'INR'
      ? buyByInr(amount.amountPaise, buyPaise, gstBps)
      : buyByGrams(amount.grams, buyPaise, gstBps),
  );

/**
 * Returns true where what a customer pays covers what the provider charges, within tolerance, after
 * each verify and before anything is written (contract: money > Provider's price). Both sides are
 * amounts for the same grams, tax included.
 */
const coversCharge = (
  customerPaysPaise: Paise,
  providerChargesPaise: Paise,
  toleranceBps: Bps,
): boolean =>
  providerChargesPaise - customerPaysPaise <= toleranceOn(providerChargesPaise, toleranceBps);

const mismatches: ReadonlySet<string> = new Set([AMOUNT_MISMATCH, GRAMS_MISMATCH]);

export type VerifyErrorCode = 'PROVIDER_UNAVAILABLE' | 'PROVIDER_REFUSED' | 'PROVIDER_MISMATCH';

/** Returns the error that a verify without a promise is to the customer (contract: states > Price lock). */
export const verifyErrorCode = (
  verified: Exclude<Outcome<never>, { kind: 'done' }>,
): VerifyErrorCode => {
  const isNo = verified.kind === 'refused' && !isUnavailable(verified);
  if (!isNo) return 'PROVIDER_UNAVAILABLE';
  return mismatches.has(verified.code) ? 'PROVIDER_MISMATCH' : 'PROVIDER_REFUSED';
};

export const verifyError = (verified: Exclude<Outcome<never>, { kind: 'done' }>): AppError =>
  new AppError(verifyErrorCode(verified), { cause: verified });

/** A verify; or the refusal of one whose rate may be another by now, so that it is worth a retry. */
type Tried =
  | { readonly verified: VerifiedBuy }
  | { readonly refusal: AppError; readonly hasLapsed: boolean };

const hasMoved = (from: LivePrice, to: LivePrice): boolean =>
  from.providerBuyPaise !== to.providerBuyPaise || from.providerTaxBps !== to.providerTaxBps;

/** Returns true for the refusal of a verify whose grams differ from those requested. */
export const isGramsMismatch = (error: unknown): boolean =>
  isAppError(error, 'PROVIDER_MISMATCH') &&
  typeof error.cause === 'object' &&
  error.cause !== null &&
  'code' in error.cause &&
  error.cause.code === GRAMS_MISMATCH;

/** Reads a verify that made no promise; throws where another rate would not change the answer. */
const readRefusal = (outcome: Exclude<Outcome<never>, { kind: 'done' }>): Tried => {
  const refusal = verifyError(outcome);
  const code = outcome.kind === 'refused' ? outcome.code : undefined;
  const hasLapsed = code === RATE_LAPSED;
  if (hasLapsed || code === AMOUNT_MISMATCH) return { refusal, hasLapsed };
  throw refusal;
};

type VerifyBuy = (request: BuyToVerify) => Promise<VerifiedBuy>;

/**
 * Creates the verify of a buy at the price of the moment, with the provider's lock behind it. A
 * rate that ran out on the way, or is another by now, is replaced once. It writes nothing: a verify
 * binds nobody until it is confirmed.
 * @throws AppError AMOUNT_TOO_SMALL, PRICE_UNAVAILABLE, PROVIDER_UNAVAILABLE, PROVIDER_REFUSED,
 *   PROVIDER_MISMATCH
 */
export const createVerifyBuy = (deps: VerifyBuyDeps): VerifyBuy => {
  const { db, clock, logger, provider, price } = deps;

  const verifyAt = async (live: LivePrice, request: BuyToVerify): Promise<Tried> => {
    const { providerUserId, reference, amount } = request;
    const gstRateBps = await gstRateBpsOn(db, clock.now());
    const breakdown = breakDownBuy(amount, live.buyPaise, gstRateBps);
    await request.check?.(breakdown);
    // The lock runs from the moment before the call: what it costs is ours, not the provider's.
    const lockStartedAt = clock.now();
    const outcome = await provider.verifyBuy({
      providerUserId,
      reference,
      rateId: live.buyRateId,
      rateBuyPaise: live.providerBuyPaise,
      rateTaxBps: live.providerTaxBps,
      grams: breakdown.grams,
    });
    if (outcome.kind !== 'done') return readRefusal(outcome);
    const { providerTxId, grams, providerAmountPaise } = outcome.value;
    if (grams !== breakdown.grams) {
      const cause = refused(GRAMS_MISMATCH, 'the verify is for other grams');
      throw new AppError('PROVIDER_MISMATCH', { cause });
    }
    if (!coversCharge(breakdown.totalPaise, providerAmountPaise, deps.priceToleranceBps)) {
      return { refusal: new AppError('PROVIDER_MISMATCH'), hasLapsed: false };
    }
    const verified: VerifiedBuy = {
      ...breakdown,
      pricePerGramPaise: live.buyPaise,
      gstRateBps,
      provider: provider.code,
      providerTxId,
      providerRateId: live.buyRateId,
      providerAmountPaise,
      lockStartedAt,
      lockEndsAt: addMs(lockStartedAt, provider.rules.lockMs),
    };
    return { verified };
  };

  return async (request) => {
    const live = await verifiablePrice(deps);
    const first = await verifyAt(live, request);
    if ('verified' in first) return first.verified;
    const fresh = await price.freshPrice();
    const { userId } = request;
    if (!first.hasLapsed && !hasMoved(live, fresh)) {
      logger.error({ userId }, "a buy below the provider's charge was refused");
      throw first.refusal;
    }
    logger.info({ userId }, 'the rate of a verify was another by now, verifying again');
    const second = await verifyAt(fresh, request);
    if ('verified' in second) return second.verified;
    throw second.refusal;
  };
};
