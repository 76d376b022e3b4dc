import { AMOUNT_MISMATCH, GRAMS_MISMATCH, RATE_LAPSED } from '../../adapters/gold-provider/port.ts';
import {
  buyByGrams,
  buyByInr,
  toleranceOn,
  type Bps,
  type BuyBreakdown,
  type Paise,
} from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { refused, type Outcome } from '../../platform/outcome/outcome.ts';
import { verifiablePrice, type LivePrice } from '../price/index.ts';
import type { Limits } from '../settings/index.ts';
import { gstRateBpsOn } from '../statutory/index.ts';
import type { BuyBasis } from './buy-basis.ts';
import { breakDown, requireBuyLimits } from './quotes.rules.ts';
import type { GoldAmount, QuoteDeps } from './quotes.types.ts';

/** A purchase that the provider has verified. It can be confirmed until the price lock ends. */
export interface VerifiedBuy extends BuyBreakdown {
  readonly pricePerGramPaise: Paise;
  readonly gstRateBps: Bps;
  readonly provider: string;
  readonly providerTxId: string;
  readonly providerRateId: string;
  /** The amount that the provider charges for the grams. */
  readonly providerAmountPaise: Paise;
  /** The time just before the verify was sent. */
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
}

interface BuyToVerify {
  readonly userId: string;
  readonly providerUserId: string;
  readonly amount: GoldAmount;
  /** Our own stable id of this purchase at the provider. */
  readonly reference: string;
  /** The limits of a purchase, and the data for its checks. Absent for an installment. */
  readonly bounds?: { readonly limits: Limits; readonly basis: BuyBasis };
}

type VerifyBuyDeps = Pick<
  QuoteDeps,
  'db' | 'clock' | 'logger' | 'provider' | 'price' | 'priceToleranceBps'
>;

/**
 * Returns the breakdown of a purchase at a price (contract: money > Breakdown of a buy).
 * @throws AppError AMOUNT_TOO_SMALL if the purchase has no grams or no gold value
 */
const breakDownBuy = (amount: GoldAmount, buyPaise: Paise, gstBps: Bps): BuyBreakdown =>
  breakDown(() =>
    amount.unit === 'INR'
      ? buyByInr(amount.amountPaise, buyPaise, gstBps)
      : buyByGrams(amount.grams, buyPaise, gstBps),
  );

/**
 * Returns true if the customer's total covers the provider's charge, within the tolerance (contract:
 * money > Provider's price). It is checked after each verify, before anything is written. Both
 * amounts are for the same grams and include tax.
 */
const isChargeCovered = (
  customerPaysPaise: Paise,
  providerChargesPaise: Paise,
  toleranceBps: Bps,
): boolean =>
  providerChargesPaise - customerPaysPaise <= toleranceOn(providerChargesPaise, toleranceBps);

const mismatchCodes: ReadonlySet<string> = new Set([AMOUNT_MISMATCH, GRAMS_MISMATCH]);

export type VerifyErrorCode = 'PROVIDER_UNAVAILABLE' | 'PROVIDER_REFUSED' | 'PROVIDER_MISMATCH';

/**
 * Returns the code of the error that the customer gets for a failed verify (contract: states > Price
 * lock).
 */
export const verifyErrorCode = (
  verified: Exclude<Outcome<never>, { kind: 'done' }>,
): VerifyErrorCode => {
  const isRefusal = verified.kind === 'refused' && !isUnavailable(verified);
  if (!isRefusal) return 'PROVIDER_UNAVAILABLE';
  return mismatchCodes.has(verified.code) ? 'PROVIDER_MISMATCH' : 'PROVIDER_REFUSED';
};

/** Returns the error that the customer gets for a failed verify. */
export const verifyError = (verified: Exclude<Outcome<never>, { kind: 'done' }>): AppError =>
  new AppError(verifyErrorCode(verified), { cause: verified });

/** The result of a verify. A refusal may be due to a changed rate, so that a retry can succeed. */
type VerifyResult =
  | { readonly verified: VerifiedBuy }
  | { readonly refusal: AppError; readonly hasLapsed: boolean };

const hasRateChanged = (from: LivePrice, to: LivePrice): boolean =>
  from.providerBuyPaise !== to.providerBuyPaise || from.providerTaxBps !== to.providerTaxBps;

/** Returns true for the error of a verify whose grams differ from the requested grams. */
export const isGramsMismatch = (error: unknown): boolean =>
  isAppError(error, 'PROVIDER_MISMATCH') &&
  typeof error.cause === 'object' &&
  error.cause !== null &&
  'code' in error.cause &&
  error.cause.code === GRAMS_MISMATCH;

/**
 * Returns the refusal of a failed verify that may succeed at another rate.
 * @throws the error of any other failed verify
 */
const readRefusal = (outcome: Exclude<Outcome<never>, { kind: 'done' }>): VerifyResult => {
  const refusal = verifyError(outcome);
  const code = outcome.kind === 'refused' ? outcome.code : undefined;
  const hasLapsed = code === RATE_LAPSED;
  if (hasLapsed || code === AMOUNT_MISMATCH) return { refusal, hasLapsed };
  throw refusal;
};

const verifyAt = async (
  deps: VerifyBuyDeps,
  live: LivePrice,
  request: BuyToVerify,
): Promise<VerifyResult> => {
  const { db, clock, provider } = deps;
  const { providerUserId, reference, amount, bounds } = request;
  const gstRateBps = bounds?.basis.gstRateBps ?? (await gstRateBpsOn(db, clock.now()));
  const breakdown = breakDownBuy(amount, live.buyPaise, gstRateBps);
  if (bounds !== undefined && amount.unit === 'GRAMS') {
    const { boughtPaise } = bounds.basis;
    requireBuyLimits({ boughtPaise, amountPaise: breakdown.totalPaise }, bounds.limits);
  }
  // The lock is counted from before the call, so that it never ends after the provider's own lock.
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
  if (!isChargeCovered(breakdown.totalPaise, providerAmountPaise, deps.priceToleranceBps)) {
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

/**
 * Verifies a purchase at the current price. If the rate has expired or changed, it retries once with
 * a fresh rate. It writes nothing, and a verify alone has no effect at the provider.
 * @throws AppError AMOUNT_TOO_SMALL, PRICE_UNAVAILABLE, PROVIDER_UNAVAILABLE, PROVIDER_REFUSED,
 *   PROVIDER_MISMATCH
 */
export const verifyBuy = async (
  deps: VerifyBuyDeps,
  request: BuyToVerify,
): Promise<VerifiedBuy> => {
  const { logger, price } = deps;
  const live = await verifiablePrice(deps, request.bounds?.basis.versions);
  const first = await verifyAt(deps, live, request);
  if ('verified' in first) return first.verified;
  const newPrice = await price.freshPrice();
  const { userId } = request;
  if (!first.hasLapsed && !hasRateChanged(live, newPrice)) {
    logger.error({ userId }, "a buy below the provider's charge was refused");
    throw first.refusal;
  }
  logger.info({ userId }, 'the rate of a verify has changed, verifying again');
  const second = await verifyAt(deps, newPrice, request);
  if ('verified' in second) return second.verified;
  throw second.refusal;
};
