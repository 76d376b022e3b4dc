import type { Machine, TransitionTable } from '../../platform/transitions/transitions.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { KycStatus } from '../identity/index.ts';

const again = 'an operator asked for a new verification';

/**
 * Every transition of a KYC record (contract: states > KYC). Its history is the audit log: each
 * decision has a row there.
 */
export const kycTransitions: TransitionTable<KycStatus, 'customer' | 'admin'> = {
  PENDING: {
    SUBMITTED: { allowedActors: ['customer'], reason: 'the customer submitted their KYC' },
  },
  SUBMITTED: {
    APPROVED: { allowedActors: ['admin'], reason: 'the gold provider has registered the customer' },
    REJECTED: { allowedActors: ['admin'], reason: 'a reviewer rejected it, with a reason' },
    PENDING: {
      allowedActors: ['admin', 'customer'],
      reason: 'a reviewer asked for another submission, or the account was deleted',
    },
  },
  APPROVED: { PENDING: { allowedActors: ['admin'], reason: again } },
  REJECTED: {
    SUBMITTED: { allowedActors: ['customer'], reason: 'the customer submitted their KYC again' },
    PENDING: { allowedActors: ['admin'], reason: again },
  },
};

export const kycMachine = (logger: Pick<Logger, 'info' | 'error'>): Machine<KycStatus> => ({
  name: 'KYC record',
  idField: 'kycId',
  table: kycTransitions,
  logger,
});
