export { createConfirmSell } from './confirm-sell.ts';
export { createSell } from './create-sell.ts';
export { createPlaceSell } from './place-sell.ts';
export { createSellRoutes } from './sell.customer.routes.ts';
export type { PlaceSellDeps, SellDeps } from './sell.deps.ts';
export { createSellSweeps } from './sell.janitor.ts';
export { type SellVerdict, readSellVerdict, reviewOf, wordOf } from './sell.rules.ts';
export { type MovedBy, type SettleSell, createSettleSell } from './settle-sell.ts';
export { createVerifySell } from './verify-sell.ts';
