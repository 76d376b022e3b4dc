export { createPayouts, type Payouts } from './create-payouts.ts';
export { insertPayout } from './insert-payout.ts';
export { noHolds, type PayoutHolds } from './payout-holds.ts';
export { payoutCapPaise } from './payout-approval.ts';
export { findPayoutOfOrder, hasPayoutInFlight } from './payout.store.ts';
export { dispatchJob } from './payouts.jobs.ts';
export {
  payoutOperatorView,
  payoutViewSchema,
  presentPayout,
  presentPayoutForOperator,
  type PayoutView,
} from './payouts.schemas.ts';
export { payoutStatuses, type Payout, type PayoutStatus } from './payouts.types.ts';
