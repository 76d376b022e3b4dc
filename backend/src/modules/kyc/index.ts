export { createKyc, createKycReview } from './create-kyc.ts';
export { createKycSweeps } from './kyc.sweeps.ts';
export { kycStatusOf, requireApprovedKyc } from './kyc.read-model.ts';
export type { KycStatus } from './kyc.types.ts';
