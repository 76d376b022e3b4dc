import type { Step } from './demo.types.ts';
import { readWebhooks } from './steps/read-webhooks.ts';
import { renewEvidence } from './steps/renew-evidence.ts';
import { shareCode } from './steps/share-code.ts';
import { askSecondPerson } from './steps/ask-second-person.ts';
import { addBankAccount } from './steps/add-bank-account.ts';
import { approveCustomer } from './steps/approve-kyc.ts';
import { buyGold } from './steps/buy-gold.ts';
import { chargeBack } from './steps/charge-back.ts';
import { checkInvariants } from './steps/check-invariants.ts';
import { checkProcesses } from './steps/check-processes.ts';
import { checkReadiness } from './steps/check-readiness.ts';
import { changeSettings } from './steps/change-settings.ts';
import { closeMonth } from './steps/close-month.ts';
import { compareProvider } from './steps/compare-provider.ts';
import { deleteAccount } from './steps/delete-account.ts';
import { failOver } from './steps/fail-over.ts';
import { findRing } from './steps/find-ring.ts';
import { followPlans } from './steps/follow-plans.ts';
import { guardSignIn } from './steps/guard-sign-in.ts';
import { hearTick } from './steps/hear-tick.ts';
import { orderJewellery } from './steps/order-jewellery.ts';
import { inspectCustomer } from './steps/inspect-customer.ts';
import { payAndAllocate } from './steps/pay-and-allocate.ts';
import { payBack } from './steps/pay-back.ts';
import { payQuote } from './steps/pay-quote.ts';
import { payWrongAmount } from './steps/pay-wrong-amount.ts';
import { proveGold, refuseProof } from './steps/prove-gold.ts';
import { putBack } from './steps/put-back.ts';
import { quoteGrams } from './steps/quote-grams.ts';
import { readAudit } from './steps/read-audit.ts';
import { readHistory } from './steps/read-history.ts';
import { readNotification } from './steps/read-notification.ts';
import { readPortfolio } from './steps/read-portfolio.ts';
import { readPrice } from './steps/read-price.ts';
import { readProfile } from './steps/read-profile.ts';
import { readRegisters } from './steps/read-registers.ts';
import { readTimeline } from './steps/read-timeline.ts';
import { receivePayout } from './steps/receive-payout.ts';
import { reconcile } from './steps/reconcile.ts';
import { refreshAndLogout } from './steps/refresh-and-logout.ts';
import { repeatBuy } from './steps/repeat-buy.ts';
import { sellGold } from './steps/sell-gold.ts';
import { signIn } from './steps/sign-in.ts';
import { signInAsOperator } from './steps/sign-in-operator.ts';
import { signInElsewhere } from './steps/sign-in-elsewhere.ts';
import { submitForReview } from './steps/submit-kyc.ts';
import { uploadPapers } from './steps/upload-documents.ts';
import { verifyAudit } from './steps/verify-audit.ts';
import { visitAccounting } from './steps/visit-accounting.ts';

/** The customer's whole story, in the order in which it happens. */
export const story: readonly Step[] = [
  checkProcesses,
  signIn,
  readProfile,
  uploadPapers,
  submitForReview,
  signInAsOperator,
  approveCustomer,
  inspectCustomer,
  checkReadiness,
  readPrice,
  quoteGrams,
  buyGold,
  repeatBuy,
  payAndAllocate,
  payQuote,
  hearTick,
  findRing,
  readPortfolio,
  readHistory,
  readTimeline,
  readWebhooks,
  readAudit,
  compareProvider,
  addBankAccount,
  sellGold,
  receivePayout,
  readNotification,
  proveGold,
  refuseProof,
  orderJewellery,
  changeSettings,
  askSecondPerson,
  shareCode,
  renewEvidence,
  guardSignIn,
  visitAccounting,
  readRegisters,
  closeMonth,
  signInElsewhere,
  refreshAndLogout,
  payWrongAmount,
  payBack,
  chargeBack,
  failOver,
  followPlans,
  deleteAccount,
  putBack,
  reconcile,
  verifyAudit,
  checkInvariants,
];
