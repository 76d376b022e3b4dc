import { applyBuySpread, applySellSpread, fromSafeBps } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { selectRows, sql, type Db, type InTransaction } from '../../platform/db/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { LivePrice } from './price.types.ts';

/** The margins on the provider's price. */
export interface Spreads {
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

/** Returns the spreads in force; zero until an operator sets them. */
export const findSpreads = async (db: Db): Promise<Spreads> => {
  const row = await db.priceConfig.findUnique({ where: { id: rowId } });
  return { buySpreadBps: row?.buySpreadBps ?? 0, sellSpreadBps: row?.sellSpreadBps ?? 0 };
};

type OurPrice = Pick<LivePrice, 'buyPaise' | 'sellPaise'>;

/** Makes our price of the provider's (contract: money > Live price). */
export const applySpreads = (
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
