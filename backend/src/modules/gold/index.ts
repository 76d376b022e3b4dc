export { createGold, createGoldSettlement, type Gold, type GoldOptions } from './create-gold.ts';
export type { ExpiryStep } from './gold.expiry.ts';
export { hasOpenSell } from './gold.read-model.ts';
export { createSellSettlement } from './sell-settlement.ts';
