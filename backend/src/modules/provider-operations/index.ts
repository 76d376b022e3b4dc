export {
  createConfirmSteps,
  describeConfirm,
  readStatus,
  type HeldConfirm,
} from './confirm-call.ts';
export {
  type Confirm,
  acquireConfirm,
  acquireVerify,
  findLatestConfirm,
  listUndecidedConfirms,
  markLatestDone,
  markQueried,
  markRefused,
  markUnknown,
  recordFirstIntent,
  recordIntent,
  recordUnintended,
  recordVerifyOutcome,
  renewVerify,
  verifyIntentPart,
} from './provider-operations.store.ts';
