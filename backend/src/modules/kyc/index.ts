export { createKyc } from './create-kyc.ts';
export { eraseKyc } from './erase-kyc.ts';
export { createKycAdminRoutes } from './kyc.admin.routes.ts';
export { createDocumentRemoval, createKycSweeps } from './kyc.sweeps.ts';
export { createKycEvents } from './kyc-events.ts';
export { APPLY_EVENT_TASK } from './kyc.jobs.ts';
export { findKycStatus, requireApproved, requireApprovedKyc } from './kyc.store.ts';
export { kycOperatorView } from './kyc.schemas.ts';
export { readKycOfUser } from './present-kyc.ts';
export { findCustomersOfPan, hashesOfPan } from './hashes-of-pan.ts';
export { openApprovedName } from './open-approved-name.ts';
export {
  readTrader,
  requireProviderUser,
  requireRegisteredUser,
  requireTrader,
} from './require-provider-user.ts';
export { isTrader, mayTrade } from './traders.ts';
