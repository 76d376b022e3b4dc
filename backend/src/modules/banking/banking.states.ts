import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import type { BankAccount, BankAccountStatus } from './banking.types.ts';

/** Every transition that a bank account may make (contract: states > Bank account). */
const bankAccountTransitions: TransitionTable<BankAccountStatus, 'payout-provider' | 'customer'> = {
  PENDING: {
    VERIFIED: {
      allowedActors: ['payout-provider'],
      reason: 'the validation passed',
    },
    FAILED: {
      allowedActors: ['payout-provider'],
      reason: 'the validation failed or could not be started',
    },
  },
  FAILED: {
    PENDING: { allowedActors: ['customer'], reason: 'the customer requested a further validation' },
  },
  VERIFIED: {},
};

interface AccountTransition {
  readonly to: BankAccountStatus;
  /** The actor of the transition: `payout-provider:<code>` or `customer:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly now: Date;
  readonly changes: Prisma.BankAccountUncheckedUpdateManyInput;
}

/**
 * Changes the state of an account that the transaction has locked. No other function changes the state
 * of an account.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const transitionAccount = (
  { logger }: { readonly logger: Logger },
  tx: Db,
  { id, status: from }: Pick<BankAccount, 'id' | 'status'>,
  { to, actor, cause, now, changes }: AccountTransition,
): Promise<void> => {
  const machine = {
    name: 'bank account',
    idField: 'bankAccountId',
    table: bankAccountTransitions,
    logger,
  };
  return transition(machine, {
    id,
    from,
    to,
    actor,
    cause,
    update: async () => {
      const { count } = await tx.bankAccount.updateMany({
        where: { id, status: from, deletedAt: null },
        data: { ...changes, status: to, updatedAt: now },
      });
      return count;
    },
  });
};
