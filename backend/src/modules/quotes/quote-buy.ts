import { addMs } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { requireTrader } from '../kyc/index.ts';
import type { Limits } from '../settings/index.ts';
import type { BuyBasis } from './buy-basis.ts';
import { requireBuyLimits } from './quotes.rules.ts';
import type { BuyQuote, GoldAmount, QuoteDeps } from './quotes.types.ts';
import { countQuote } from './count-quote.ts';
import { verifyBuy } from './verify-buy.ts';

/** The longest life of a buy quote in ms (contract: limits > Quotes and locks). */
const quoteLifeMs = 420_000;
/** A quote ends at least this time in ms before its price lock, so that the customer can pay. */
const lockMarginMs = 45_000;

const earlierOf = (one: Date, other: Date): Date => (one < other ? one : other);

/**
 * Drafts a buy quote with the provider's price lock. The checks run in the order of refusals: KYC,
 * limits, price, provider (contract: conventions > Order of refusals). It writes nothing, and the
 * verify alone has no effect at the provider.
 * @throws AppError KYC_REQUIRED, LIMIT_EXCEEDED, QUOTE_LIMIT, AMOUNT_TOO_SMALL, PRICE_UNAVAILABLE,
 *   PROVIDER_UNAVAILABLE, PROVIDER_REFUSED, PROVIDER_MISMATCH
 */
export const draftBuyQuote = async (
  deps: Omit<QuoteDeps, 'limits'>,
  userId: string,
  amount: GoldAmount,
  limits: Limits,
  basis: BuyBasis,
): Promise<BuyQuote> => {
  const { clock, random } = deps;
  const providerUserId = requireTrader(basis);
  if (amount.unit === 'INR') {
    requireBuyLimits({ boughtPaise: basis.boughtPaise, amountPaise: amount.amountPaise }, limits);
  }
  await countQuote(deps, userId);
  const id = random.uuid();
  const verified = await verifyBuy(deps, {
    userId,
    providerUserId,
    amount,
    reference: id,
    bounds: { limits, basis },
  });
  const createdAt = clock.now();
  const latestEnd = addMs(verified.lockEndsAt, -lockMarginMs);
  const expiresAt = earlierOf(addMs(createdAt, quoteLifeMs), latestEnd);
  if (expiresAt <= createdAt) throw new AppError('PROVIDER_UNAVAILABLE');
  const { unit, requested } = amount;
  return { ...verified, id, userId, status: 'ACTIVE', unit, requested, expiresAt, createdAt };
};
