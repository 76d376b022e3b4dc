import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import type { KycStatus } from '../identity/index.ts';

const reverification = 'an operator asked for a new verification';

/**
 * Every transition that a KYC record may make (contract: states > KYC). The audit log is the history of
 * the record, because each decision writes an audit row.
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
  APPROVED: { PENDING: { allowedActors: ['admin'], reason: reverification } },
  REJECTED: {
    SUBMITTED: { allowedActors: ['customer'], reason: 'the customer submitted their KYC again' },
    PENDING: { allowedActors: ['admin'], reason: reverification },
  },
};

interface KycTransition {
  readonly to: KycStatus;
  /** The actor of the transition: `customer:<id>` or `admin:<id>`. */
  readonly actor: string;
  readonly cause: string;
  /**
   * Updates the record in the transaction that has locked it, if its state has not changed since it was
   * read. Returns the number of changed rows. A review also checks that the customer has not submitted
   * again since the reviewer read the record.
   */
  readonly update: () => Promise<number>;
}

/**
 * Changes the state of a KYC record.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const transitionKyc = (
  { logger }: { readonly logger: Pick<Logger, 'info' | 'error'> },
  { id, status: from }: { readonly id: string; readonly status: KycStatus },
  { to, actor, cause, update }: KycTransition,
): Promise<void> => {
  const machine = { name: 'KYC record', idField: 'kycId', table: kycTransitions, logger };
  return transition(machine, { id, from, to, actor, cause, update });
};
