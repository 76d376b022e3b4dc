export {
  createGold,
  createGoldAdmin,
  createGoldSettlement,
  createGoldWork,
  type GoldWork,
} from './create-gold.ts';
export type { BuyDeps, BuyPayments, GoldBase, QuoteDeps } from './gold.deps.ts';
export type { OrderPayments } from './gold.admin.routes.ts';
export type { UnpaidPayments } from './gold.sweeps.ts';
