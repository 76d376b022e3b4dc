import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Bps, BuyBreakdown } from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { findUser } from '../identity/index.ts';
import { requireApprovedKyc } from '../kyc/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { Limits } from '../settings/index.ts';
import { checkBuyAmount, checkDailyBuys } from './quote.rules.ts';
import type { BuyQuote, GoldAmount } from './quotes.types.ts';
import { createVerifyBuy } from './verify-buy.ts';

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

export type DraftBuyQuote = (userId: string, amount: GoldAmount) => Promise<BuyQuote>;

/**
 * Makes a buy quote with the provider's lock behind it, in the order of refusals: KYC, limits,
 * price, provider (contract: conventions > Order of refusals). It writes nothing: a verify binds
 * nobody until it is confirmed.
 * @throws AppError KYC_REQUIRED, LIMIT_EXCEEDED, AMOUNT_TOO_SMALL, PRICE_UNAVAILABLE,
 *   PROVIDER_UNAVAILABLE, PROVIDER_REFUSED, PROVIDER_MISMATCH
 */
export const createDraftBuyQuote = (deps: QuoteDeps): DraftBuyQuote => {
  const { db, clock, random, limits } = deps;
  const verifyBuy = createVerifyBuy(deps);

  const checkLimits = async (userId: string, amountPaise: BuyBreakdown['totalPaise']) => {
    const inForce = await limits.current();
    checkBuyAmount(inForce, amountPaise);
    await checkDailyBuys(db, { userId, amountPaise }, inForce, clock.now());
  };

  return async (userId, amount) => {
    const providerUserId = await requireProviderUser(db, userId);
    if (amount.unit === 'INR') await checkLimits(userId, amount.amountPaise);
    const id = random.uuid();
    const verified = await verifyBuy({
      userId,
      providerUserId,
      amount,
      reference: id,
      ...(amount.unit === 'GRAMS' && {
        check: ({ totalPaise }: BuyBreakdown) => checkLimits(userId, totalPaise),
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
