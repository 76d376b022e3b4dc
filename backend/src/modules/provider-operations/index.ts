export { coversCharge, isCoveredByProvider } from './price-rule.ts';
export {
  type Confirm,
  acquireConfirm,
  acquireVerify,
  confirmLeaseMs,
  findLatestConfirm,
  listUndecidedConfirms,
  markDone,
  markQueried,
  markRefused,
  markUnknown,
  newConfirm,
  recordIntent,
  recordVerifyIntent,
  recordVerifyOutcome,
  renewConfirm,
  renewVerify,
} from './provider-operations.store.ts';
export { type VerifyErrorCode, verifyError, verifyErrorCode } from './verify-error.ts';
