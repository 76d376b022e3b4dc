export { hasPayoutInFlight } from './payouts.read-model.ts';
export {
  payoutStatuses,
  type NewPayout,
  type Payout,
  type Payouts,
  type PayoutsDeps,
  type PayoutStatus,
  type PayoutView,
} from './payouts.types.ts';
export type { SellSettlement, SellSettlementInfo, SettledSell } from './sell-settlement.ts';
