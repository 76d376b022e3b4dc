export { createKyc, createKycReview } from './create-kyc.ts';
export { eraseKyc } from './erase-kyc.ts';
export { createDocumentRemoval, createKycSweeps } from './kyc.sweeps.ts';
export { createKycEvents } from './kyc-events.ts';
export { kycStatusOf, requireApprovedKyc } from './kyc.store.ts';
export { kycOperatorView } from './kyc.schemas.ts';
export { kycStatuses, type KycStatus } from './kyc.types.ts';
export { readKycOfUser } from './present-kyc.ts';
export { requireProviderUser } from './require-provider-user.ts';
