export const kycStatuses = ['PENDING', 'SUBMITTED', 'APPROVED', 'REJECTED'] as const;
export type KycStatus = (typeof kycStatuses)[number];
