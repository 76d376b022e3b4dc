import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { UseBound } from '../../platform/use-bounds/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { Limits, SettingVersions } from '../settings/index.ts';
import type { Bps, Grams, Paise } from '../../money/index.ts';
import type { GoldUnit } from '../orders/index.ts';

export const quoteStatuses = ['ACTIVE', 'CONSUMED', 'EXPIRED'] as const;
export type QuoteStatus = (typeof quoteStatuses)[number];

/** An amount to buy or sell. `requested` is its normalised text, which is stored. */
export type GoldAmount =
  | { readonly unit: 'INR'; readonly amountPaise: Paise; readonly requested: string }
  | { readonly unit: 'GRAMS'; readonly grams: Grams; readonly requested: string };

/** A price for a purchase, which the provider has locked. */
export interface BuyQuote {
  readonly id: string;
  readonly userId: string;
  readonly status: QuoteStatus;
  readonly unit: GoldUnit;
  /** The requested rupees or grams, as the database stores a decimal. */
  readonly requested: string;
  readonly grams: Grams;
  readonly pricePerGramPaise: Paise;
  readonly goldValuePaise: Paise;
  readonly gstPaise: Paise;
  readonly gstRateBps: Bps;
  readonly totalPaise: Paise;
  readonly roundingPaise: Paise;
  readonly provider: string;
  readonly providerTxId: string;
  readonly providerRateId: string;
  /** The amount that the provider charges for the grams. */
  readonly providerAmountPaise: Paise;
  /** The time just before the verify was sent. */
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** A price for a sale of gold that a customer holds. The provider has not verified it yet. */
export interface SellQuote {
  readonly id: string;
  readonly userId: string;
  readonly status: QuoteStatus;
  readonly unit: GoldUnit;
  /** The requested rupees or grams, as the database stores a decimal. */
  readonly requested: string;
  readonly grams: Grams;
  readonly pricePerGramPaise: Paise;
  readonly proceedsPaise: Paise;
  readonly withheldPaise: Paise;
  readonly provider: string;
  /** The provider's rate from which our price is derived. The verify sends it. */
  readonly providerRateId: string;
  /** The provider's own price per gram at that rate. The verify sends it. */
  readonly providerPricePaise: Paise;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

/** The dependencies that every gold use case needs. */
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
  readonly limits: { current(versions?: SettingVersions): Promise<Limits> };
  /** Bounds the quotes of a customer (contract: limits > Quotes and locks). */
  readonly quoteBound: UseBound;
  /** The tolerance for the provider's amounts (contract: money > Provider's price). */
  readonly priceToleranceBps: Bps;
}
