export { createKyc } from './create-kyc.ts';
export { eraseKyc } from './erase-kyc.ts';
export { createKycAdminRoutes } from './kyc.admin.routes.ts';
export { createDocumentRemoval, createKycSweeps } from './kyc.sweeps.ts';
export { createKycEvents } from './kyc-events.ts';
export { kycStatusOf, requireApprovedKyc } from './kyc.store.ts';
export { kycOperatorView } from './kyc.schemas.ts';
export { readKycOfUser } from './present-kyc.ts';
export { requireProviderUser } from './require-provider-user.ts';
