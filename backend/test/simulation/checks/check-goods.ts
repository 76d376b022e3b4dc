import type { World } from '../model/world.ts';
import { same } from '../story.ts';
import type { Snapshot } from './read-snapshot.ts';

/**
 * Compares the remaining pieces and the orders of jewellery with the story's orders and payments.
 */
export const checkGoods = (world: World, seen: Snapshot): void => {
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
