import type { Db } from '../../platform/db/index.ts';

/** A sell as its payout sees it. */
export interface SettledSell {
  readonly id: string;
  readonly userId: string;
  readonly status: string;
}

/** Why a sell moves, for its event history. */
export interface SellSettlementInfo {
  /** The provider's name of the event, or how else we learned of it. */
  readonly cause: string;
  /** `payout-provider:<code>`. */
  readonly actor: string;
  readonly requestId?: string;
}

/**
 * What payouts ask of the sells that they pay out; implemented by the module that owns them and
 * called inside the transaction that moves the payout. `sell` is always what `lockSell` answered
 * in the same transaction. Each move writes the order's event row.
 */
export interface SellSettlement {
  /** Locks the order's row. The first lock of the transaction: the payout's comes after. */
  lockSell(db: Db, orderId: string): Promise<SettledSell>;
  /** CONFIRMED -> COMPLETED: the payout was paid. Called for a CONFIRMED sell only. */
  markCompleted(db: Db, sell: SettledSell, info: SellSettlementInfo): Promise<void>;
  /** COMPLETED -> CONFIRMED: the payout came back. Called for a COMPLETED sell only. */
  backToConfirmed(db: Db, sell: SettledSell, info: SellSettlementInfo): Promise<void>;
}
