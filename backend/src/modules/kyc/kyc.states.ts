import type { KycStatus } from './kyc.types.ts';

/** Allowed moves (decisions, section 3, KYC; interface, States). */
export const kycMoves: Readonly<Record<KycStatus, readonly KycStatus[]>> = {
  PENDING: ['SUBMITTED'],
  SUBMITTED: ['APPROVED', 'REJECTED', 'PENDING'],
  APPROVED: ['PENDING'],
  REJECTED: ['SUBMITTED', 'PENDING'],
};

/** The states from which `to` can be reached. */
export const statesBefore = (to: KycStatus): KycStatus[] =>
  (Object.keys(kycMoves) as KycStatus[]) // exactly the keys of the table
    .filter((from) => kycMoves[from].includes(to));
