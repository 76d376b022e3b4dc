export { createPayouts } from './create-payouts.ts';
export { payoutCapPaise } from './payout-caps.ts';
export { hasPayoutInFlight } from './payouts.read-model.ts';
export { payoutViewSchema, type PayoutView } from './payouts.schemas.ts';
export type { Payouts, PayoutsDeps } from './payouts.deps.ts';
export { payoutStatuses, type NewPayout, type Payout, type PayoutStatus } from './payouts.types.ts';
export type { SellSettlement, SellSettlementInfo, SettledSell } from './sell-settlement.ts';
