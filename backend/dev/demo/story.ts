import type { Step } from './demo.types.ts';
import {
  signIn,
  readProfile,
  uploadPapers,
  submitForReview,
  signInAsOperator,
  approveCustomer,
  inspectCustomer,
} from './chapters/opening-an-account.ts';
import { checkProcesses, checkReadiness } from './chapters/readiness.ts';
import {
  readPrice,
  quoteGrams,
  buyGold,
  repeatBuy,
  payAndAllocate,
  payQuote,
  hearTick,
} from './chapters/buying.ts';
import { findRing, orderJewellery } from './chapters/jewellery.ts';
import {
  readPortfolio,
  readHistory,
  readTimeline,
  readWebhooks,
  readAudit,
  readNotification,
} from './chapters/records.ts';
import { addBankAccount, sellGold, receivePayout } from './chapters/selling.ts';
import { proveGold, refuseProof } from './chapters/proof-of-gold.ts';
import { changeSettings, askSecondPerson, renewEvidence, putBack } from './chapters/settings.ts';
import { visitAccounting, readRegisters, closeMonth } from './chapters/accounting.ts';
import {
  guardSignIn,
  signInElsewhere,
  refreshAndLogout,
  deleteAccount,
} from './chapters/sessions.ts';
import { payWrongAmount, payBack, chargeBack, failOver } from './chapters/payments-under-review.ts';
import { shareCode, followPlans } from './chapters/rewards-and-plans.ts';
import { compareProvider, reconcile, verifyAudit, checkInvariants } from './chapters/books.ts';

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
