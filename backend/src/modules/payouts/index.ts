export { createPayouts } from './create-payouts.ts';
export { insertPayout } from './insert-payout.ts';
export { noHolds, type HoldDeps, type PayoutHolds } from './payout-holds.ts';
export { findPayout, findPayoutOfOrder, hasPayoutInFlight } from './payouts.store.ts';
export { APPLY_EVENT_TASK, dispatchJob } from './payouts.jobs.ts';
export {
  payoutOperatorView,
  payoutViewSchema,
  presentPayout,
  presentPayoutForOperator,
} from './payouts.schemas.ts';
export { type Payout } from './payouts.types.ts';
