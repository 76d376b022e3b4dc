export {
  lockUser,
  openBlockedReason,
  sealBlockedReason,
  updateBlock,
  type BlockState,
} from './user-blocks.store.ts';
export type { IdentifyCustomer } from './customer-guard.ts';
export { createIdentity } from './create-identity.ts';
export {
  customerAccess,
  type CustomerPrincipal,
  kycStatuses,
  type KycStatus,
  tokenSubjectAccess,
} from './identity.types.ts';
export {
  eraseUser,
  lockCodeGuards,
  lockUserForDeletion,
  type UserToErase,
} from './user-erasures.store.ts';
export { createCodeMetrics } from './one-time-codes.metrics.ts';
export { checkCode, refusalOf, type CheckCodeDeps } from './check-code.ts';
export { sendCode, type OneTimeCodesDeps } from './one-time-codes.ts';
export { hashesOfPhone, phoneSchema, readPhone } from './phone.ts';
export { createIdentityPurges, createSessionPurges } from './identity.sweeps.ts';
export { relistEndedSessions } from './relist-ended.ts';
export { renewIdentityKeyed } from './renew-keyed.ts';
export { presentUser, sendOtpAnswer, userView } from './identity.schemas.ts';
export { announceEnd as announceSessionsEnd, type SessionsDeps } from './sessions.ts';
export { revokeEverySession } from './sessions.store.ts';
export {
  findUser,
  isStillCustomer,
  findUserByReferralCode,
  readProviderUserId,
  readStillCustomer,
  updateProviderUserId,
} from './users.store.ts';
