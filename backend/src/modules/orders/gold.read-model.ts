import type { Db } from '../../platform/db/index.ts';
import { createSellOrderStore } from './sell-order.store.ts';

/** Whether a sell in progress will be paid out to this bank account. */
export const hasOpenSell = (db: Db, bankAccountId: string): Promise<boolean> =>
  createSellOrderStore(db).isPayingTo(bankAccountId);
