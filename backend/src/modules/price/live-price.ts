import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import { type Db, selectRows, sql, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { mapDone, type Outcome } from '../../platform/outcome/outcome.ts';
import { applyBuySpread, applySellSpread, fromSafeBps } from '../../money/index.ts';
import type { ReadSetting, SettingVersions } from '../settings/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { findLastTick } from './price.store.ts';
import type { LivePrice } from './price.types.ts';

export type FetchPrice = () => Promise<Outcome<LivePrice>>;

/**
 * Creates the function that fetches the provider's price and applies the spreads. `asOf` is the real
 * time just before the call, so that a price never seems younger than it is.
 */
export const createFetchPrice = (options: {
  readonly provider: GoldProvider;
  readonly db: Db;
  readonly wall: Clock;
}): FetchPrice => {
  const { provider, db, wall } = options;
  return async () => {
    const asOf = wall.now();
    const [outcome, spreads] = await Promise.all([provider.price(), findSpreads(db)]);
    return mapDone(outcome, (price) => ({
      ...applySpreads(
        { providerBuyPaise: price.buyPaise, providerSellPaise: price.sellPaise },
        spreads,
      ),
      spotPaise: price.spotPaise,
      providerBuyPaise: price.buyPaise,
      providerSellPaise: price.sellPaise,
      providerTaxBps: price.buyTaxBps,
      buyRateId: price.buyRateId,
      sellRateId: price.sellRateId,
      ratesValidUntil: price.validUntil,
      source: 'PROVIDER',
      asOf,
    }));
  };
};

export interface LivePriceReader {
  /** Returns this replica's copy of the price if it is still live, without any wait. */
  priceAtHand(): LivePrice | undefined;
  /**
   * Returns a price that is at most 10 s old: this replica's copy, else the feed's last tick, else a
   * price that is fetched now, by one call per replica at a time. The current spreads are applied, or
   * those of `versions`. Redis is not used, since write access to Redis would then set the price at
   * which gold is sold.
   * @throws AppError PRICE_UNAVAILABLE if no such price can be found
   */
  livePrice(versions?: SettingVersions): Promise<LivePrice>;
  /** Fetches a new price, even if the copy is still live. For a rate that the provider refused. */
  freshPrice(): Promise<LivePrice>;
}

/** The time in real ms for which a price is live. */
const priceLifeMs = 10_000;

export const createLivePrice = (options: {
  readonly fetchPrice: FetchPrice;
  readonly spreads: ReadSetting<Spreads>;
  readonly db: Db;
  readonly wall: Clock;
}): LivePriceReader => {
  const { fetchPrice, spreads, db, wall } = options;
  let copy: LivePrice | undefined;
  let refreshing: Promise<LivePrice> | undefined;
  let fetching: Promise<LivePrice> | undefined;

  const isLive = (price: LivePrice | undefined): price is LivePrice =>
    price !== undefined && Math.abs(msBetween(price.asOf, wall.now())) < priceLifeMs;

  const fetchNow = async (): Promise<LivePrice> => {
    const outcome = await fetchPrice();
    if (outcome.kind !== 'done') throw new AppError('PRICE_UNAVAILABLE', { cause: outcome });
    copy = outcome.value;
    return copy;
  };

  const fetchOnce = async (): Promise<LivePrice> => {
    fetching ??= fetchNow().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };

  const refresh = async (): Promise<LivePrice> => {
    const price = (await findLastTick(db))?.price;
    // A time ahead of our clock can't be correct, and the price would be live for too long.
    if (!isLive(price) || price.asOf > wall.now()) return fetchOnce();
    copy = price;
    return price;
  };

  const priceAtHand = (): LivePrice | undefined => (isLive(copy) ? copy : undefined);

  /** Applies the current spreads, because they may have changed since the price was computed. */
  const withCurrentSpreads = async (
    price: LivePrice,
    versions?: SettingVersions,
  ): Promise<LivePrice> => {
    const { buyPaise, sellPaise } = applySpreads(price, await spreads(versions));
    if (price.buyPaise === buyPaise && price.sellPaise === sellPaise) return price;
    const updated = { ...price, buyPaise, sellPaise };
    if (copy === price) copy = updated;
    return updated;
  };

  const refreshOnce = async (): Promise<LivePrice> => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };

  return {
    priceAtHand,
    livePrice: async (versions) =>
      withCurrentSpreads(priceAtHand() ?? (await refreshOnce()), versions),
    freshPrice: async () => withCurrentSpreads(await fetchOnce()),
  };
};

/**
 * Returns a live price whose rates are valid by the business clock, so that they can be verified.
 * @throws AppError PRICE_UNAVAILABLE
 */
export const verifiablePrice = async (
  deps: { readonly price: LivePriceReader; readonly clock: Clock },
  versions?: SettingVersions,
): Promise<LivePrice> => {
  const live = await deps.price.livePrice(versions);
  return live.ratesValidUntil > deps.clock.now() ? live : deps.price.freshPrice();
};

/** The margins on the provider's price. */
interface Spreads {
  readonly buySpreadBps: number;
  readonly sellSpreadBps: number;
}

export interface SetSpreadsDeps {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly clock: Clock;
}

/** The id of the only row of `price_config`. */
const rowId = 1;

/** Returns the spreads in force. They are zero until an operator sets them. */
export const findSpreads = async (db: Db): Promise<Spreads> => {
  const row = await db.priceConfig.findUnique({ where: { id: rowId } });
  return { buySpreadBps: row?.buySpreadBps ?? 0, sellSpreadBps: row?.sellSpreadBps ?? 0 };
};

type OurPrice = Pick<LivePrice, 'buyPaise' | 'sellPaise'>;

/** Computes our price from the provider's price (contract: money > Live price). */
const applySpreads = (
  provider: Pick<LivePrice, 'providerBuyPaise' | 'providerSellPaise'>,
  { buySpreadBps, sellSpreadBps }: Spreads,
): OurPrice => ({
  buyPaise: applyBuySpread(provider.providerBuyPaise, fromSafeBps(buySpreadBps)),
  sellPaise: applySellSpread(provider.providerSellPaise, fromSafeBps(sellSpreadBps)),
});

/** Locks the spreads until the transaction ends, so that the audit row shows the replaced values. */
const lockSpreads = async (tx: Db): Promise<void> => {
  await selectRows(tx, sql`SELECT id FROM price_config WHERE id = ${rowId} FOR UPDATE`);
};

/** Replaces the spreads and writes the audit row, in one transaction. */
export const setSpreads = (
  { inTransaction, audit, clock }: SetSpreadsDeps,
  spreads: Spreads,
  { principal, context }: ByOperator,
): Promise<void> =>
  inTransaction(async (tx) => {
    await lockSpreads(tx);
    const before = await findSpreads(tx);
    const data = { ...spreads, updatedBy: principal.adminId, updatedAt: clock.now() };
    await tx.priceConfig.upsert({
      where: { id: rowId },
      create: { id: rowId, ...data },
      update: data,
    });
    await audit.record(tx, {
      action: 'price.config.set',
      ...adminActor(principal, context),
      target: { type: 'price_config', id: 'spread' },
      before: { ...before },
      after: { ...spreads },
    });
  });
