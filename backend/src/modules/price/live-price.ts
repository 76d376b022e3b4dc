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
 * Fetches the provider's price and applies the spreads. `asOf` is the real moment before the call,
 * so a price never looks younger than it is.
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
  /** Returns this replica's copy of the price while it is live, without waiting for anything. */
  priceAtHand(): LivePrice | undefined;
  /**
   * Returns a price at most 10 s old: this replica's copy, the feed's last tick, or a fetched one
   * (one call per replica at a time), with the spreads in force at this moment, or at that of
   * `versions`. Redis is not used, since write access to it would then set the price at which gold
   * is sold.
   * @throws AppError PRICE_UNAVAILABLE when all of them fail.
   */
  livePrice(versions?: SettingVersions): Promise<LivePrice>;
  /** Fetches a price now, whatever is at hand: for when the provider refused a rate as expired. */
  freshPrice(): Promise<LivePrice>;
}

/** A price is live for this long, in real milliseconds. */
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
    // A time ahead of ours can't be correct, and would outlive its ten seconds.
    if (!isLive(price) || price.asOf > wall.now()) return fetchOnce();
    copy = price;
    return price;
  };

  const priceAtHand = (): LivePrice | undefined => (isLive(copy) ? copy : undefined);

  /** A price may have been made before an operator changed the spreads: here, or on any replica. */
  const withSpreadsInForce = async (
    price: LivePrice,
    versions?: SettingVersions,
  ): Promise<LivePrice> => {
    const { buyPaise, sellPaise } = applySpreads(price, await spreads(versions));
    if (price.buyPaise === buyPaise && price.sellPaise === sellPaise) return price;
    const renewed = { ...price, buyPaise, sellPaise };
    if (copy === price) copy = renewed;
    return renewed;
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
      withSpreadsInForce(priceAtHand() ?? (await refreshOnce()), versions),
    freshPrice: async () => withSpreadsInForce(await fetchOnce()),
  };
};

/**
 * Returns a price whose rates can still be verified by business time, which may have been moved.
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

/** The one row of `price_config`. */
const rowId = 1;

/** Returns the spreads in force. They are zero until an operator sets them. */
export const findSpreads = async (db: Db): Promise<Spreads> => {
  const row = await db.priceConfig.findUnique({ where: { id: rowId } });
  return { buySpreadBps: row?.buySpreadBps ?? 0, sellSpreadBps: row?.sellSpreadBps ?? 0 };
};

type OurPrice = Pick<LivePrice, 'buyPaise' | 'sellPaise'>;

/** Makes our price of the provider's (contract: money > Live price). */
const applySpreads = (
  provider: Pick<LivePrice, 'providerBuyPaise' | 'providerSellPaise'>,
  { buySpreadBps, sellSpreadBps }: Spreads,
): OurPrice => ({
  buyPaise: applyBuySpread(provider.providerBuyPaise, fromSafeBps(buySpreadBps)),
  sellPaise: applySellSpread(provider.providerSellPaise, fromSafeBps(sellSpreadBps)),
});

/** Locks the spreads until the transaction ends, so that the audit row shows what was replaced. */
const lockSpreads = async (tx: Db): Promise<void> => {
  await selectRows(tx, sql`SELECT id FROM price_config WHERE id = ${rowId} FOR UPDATE`);
};

/** Replaces the spreads, with the audit row in the same transaction. */
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
