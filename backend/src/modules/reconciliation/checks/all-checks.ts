import type { Check } from '../reconciliation.types.ts';
import { allocatedWithoutCapture } from './allocated-without-capture.ts';
import { capturedNotAllocated } from './captured-not-allocated.ts';
import { duplicateProviderTransaction } from './duplicate-provider-transaction.ts';
import { gatewayCaptureMissing } from './gateway-capture-missing.ts';
import { holdingBalanceDrift, holdingInvestedDrift } from './holding-drift.ts';
import { manualReviewOpen } from './manual-review-open.ts';
import { paymentAmountMismatch } from './payment-amount-mismatch.ts';
import { payoutOverCapUnapproved } from './payout-over-cap-unapproved.ts';
import { payoutStuck } from './payout-stuck.ts';
import { providerTransactionMismatch } from './provider-transaction-mismatch.ts';
import { sellWithoutPayout } from './sell-without-payout.ts';
import { webhookBacklog } from './webhook-backlog.ts';

export const allChecks: readonly Check[] = [
  capturedNotAllocated,
  allocatedWithoutCapture,
  paymentAmountMismatch,
  gatewayCaptureMissing,
  webhookBacklog,
  holdingBalanceDrift,
  holdingInvestedDrift,
  providerTransactionMismatch,
  duplicateProviderTransaction,
  sellWithoutPayout,
  payoutStuck,
  payoutOverCapUnapproved,
  manualReviewOpen,
];
