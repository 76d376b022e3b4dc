export { createPayouts, type Payouts } from './create-payouts.ts';
export { insertPayout, noHolds, type PayoutHolds } from './insert-payout.ts';
export { findPayoutOfOrder, hasPayoutInFlight } from './payout.store.ts';
export { dispatchJob } from './payouts.jobs.ts';
export {
  payoutOperatorView,
  payoutViewSchema,
  presentPayout,
  presentPayoutForOperator,
} from './payouts.schemas.ts';
export { type Payout } from './payouts.types.ts';
