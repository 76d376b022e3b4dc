import type { World } from '../model/world.ts';
import { same } from '../story.ts';
import type { Snapshot } from './read-snapshot.ts';

/** Holds the pieces that are left, and orders of jewellery, to what was ordered and paid. */
export const holdGoods = (world: World, seen: Snapshot): void => {
  for (const { id, stock } of world.products) {
    same('pieces of a product', seen.stock.get(id)?.count, stock);
  }
  for (const { id, status, cash } of world.productOrders) {
    const row = seen.productOrders.get(id);
    same('state of jewellery', row?.status, status);
    const received = cash.reduce((sum, { paise }) => sum + paise, 0);
    same('cash for jewellery', row?.cash, received);
  }
};
