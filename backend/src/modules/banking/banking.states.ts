import type { TransitionTable } from '../../platform/transitions/transitions.ts';
import type { BankAccountStatus } from './banking.types.ts';

/** Every transition that a bank account may make (contract: states > Bank account). */
export const bankAccountTransitions: TransitionTable<
  BankAccountStatus,
  'payout-provider' | 'customer'
> = {
  PENDING: {
    VERIFIED: {
      allowedActors: ['payout-provider'],
      reason: 'the validation says that the account is active',
    },
    FAILED: {
      allowedActors: ['payout-provider'],
      reason: 'the validation says no, or could not be done',
    },
  },
  FAILED: {
    PENDING: { allowedActors: ['customer'], reason: 'a further validation was asked for' },
  },
  VERIFIED: {},
};
