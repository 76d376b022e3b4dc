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
  /** The limits of a buy, and what was read of it a moment ago. Absent for an installment. */
  readonly bounds?: { readonly limits: Limits; readonly basis: BuyBasis };
}

type VerifyBuyDeps = Pick<
  QuoteDeps,
  'db' | 'clock' | 'logger' | 'provider' | 'price' | 'priceToleranceBps'
>;

/**
 * Breaks a buy at a price down into its parts (contract: money > Breakdown of a buy).
 * @throws AppError AMOUNT_TOO_SMALL when no gold or no money results
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

/**
 * Returns the code of the error that the customer gets for a verify without a promise (contract:
 * states > Price lock).
 */
export const verifyErrorCode = (
  verified: Exclude<Outcome<never>, { kind: 'done' }>,
): VerifyErrorCode => {
  const isNo = verified.kind === 'refused' && !isUnavailable(verified);
  if (!isNo) return 'PROVIDER_UNAVAILABLE';
  return mismatches.has(verified.code) ? 'PROVIDER_MISMATCH' : 'PROVIDER_REFUSED';
};

/** Returns the error that the customer gets for a verify without a promise. */
export const verifyError = (verified: Exclude<Outcome<never>, { kind: 'done' }>): AppError =>
  new AppError(verifyErrorCode(verified), { cause: verified });

/** A verify, or the refusal of one whose rate may have changed, so that it is worth a retry. */
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

/** Reads a verify that made no promise. Throws where another rate would not change the answer. */
const readRefusal = (outcome: Exclude<Outcome<never>, { kind: 'done' }>): Tried => {
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
): Promise<Tried> => {
  const { db, clock, provider } = deps;
  const { providerUserId, reference, amount, bounds } = request;
  const gstRateBps = bounds?.basis.gstRateBps ?? (await gstRateBpsOn(db, clock.now()));
  const breakdown = breakDownBuy(amount, live.buyPaise, gstRateBps);
  if (bounds !== undefined && amount.unit === 'GRAMS') {
    const { bought } = bounds.basis;
    requireBuyLimits({ bought, amountPaise: breakdown.totalPaise }, bounds.limits);
  }
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

/**
 * Verifies a buy at the current price. If the rate has expired or changed, it retries once with a
 * new rate. It writes nothing: a verify has no effect at the provider until it is confirmed.
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
  const fresh = await price.freshPrice();
  const { userId } = request;
  if (!first.hasLapsed && !hasMoved(live, fresh)) {
    logger.error({ userId }, "a buy below the provider's charge was refused");
    throw first.refusal;
  }
  logger.info({ userId }, 'the rate of a verify has changed, verifying again');
  const second = await verifyAt(deps, fresh, request);
  if ('verified' in second) return second.verified;
  throw second.refusal;
};
