export {
  type Confirm,
  type NewConfirm,
  createProviderOperationStore,
} from './provider-operation.store.ts';
export { createSellVerifyStore } from './sell-verify.store.ts';
export { type VerifyErrorCode, verifyError, verifyErrorCode } from './verify-error.ts';
