import type { ProviderPayoutStatus } from '../../adapters/payout-provider/port.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import type { AttemptStatus, Payout, PayoutStatus } from './payouts.types.ts';

/** Kinds of actors that may change a payout's state. `service` is a decision of our own code. */
type PayoutActorKind = 'service' | 'payout-provider' | 'admin';

/**
 * Every transition that a payout may make (contract: states > Payout). A payout that becomes PAID
 * makes its sale COMPLETED in the same transaction. A payout that becomes REVERSED makes its sale
 * CONFIRMED again.
 */
export const payoutTransitions: TransitionTable<PayoutStatus, PayoutActorKind> = {
  PENDING: {
    PROCESSING: { allowedActors: ['service', 'admin'], reason: 'an attempt was started' },
  },
  PROCESSING: {
    PAID: { allowedActors: ['payout-provider'], reason: 'the money was paid' },
    FAILED: {
      allowedActors: ['payout-provider', 'service'],
      reason: 'the money was certainly not paid',
    },
    REVERSED: { allowedActors: ['payout-provider'], reason: 'the money came back' },
  },
  PAID: {
    REVERSED: { allowedActors: ['payout-provider'], reason: 'the money came back' },
  },
  FAILED: {
    PENDING: { allowedActors: ['admin'], reason: 'a further attempt, under a new key' },
  },
  REVERSED: {
    PENDING: { allowedActors: ['admin'], reason: 'a further attempt, under a new key' },
  },
};

/**
 * The effect of a provider's report on an attempt: the attempt's new status, STALE or CONTRADICTION.
 * A STALE report is older than the attempt's status or repeats it, because events arrive in any order.
 * It changes nothing. A CONTRADICTION means that the report and the attempt's status can't both be
 * true.
 */
export type ReportVerdict = ProviderPayoutStatus | 'STALE' | 'CONTRADICTION';

type Verdicts = Readonly<Record<ProviderPayoutStatus, ReportVerdict>>;

const openVerdicts: Verdicts = {
  PROCESSING: 'PROCESSING',
  PAID: 'PAID',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
};
const unpaidVerdicts: Verdicts = {
  PROCESSING: 'STALE',
  PAID: 'CONTRADICTION',
  FAILED: 'STALE',
  REVERSED: 'STALE',
};

/** The effect of each report of the provider, by the status of the attempt. */
export const reportVerdicts: Readonly<Record<AttemptStatus, Verdicts>> = {
  INTENDED: openVerdicts,
  UNKNOWN: openVerdicts,
  PROCESSING: { ...openVerdicts, PROCESSING: 'STALE' },
  PAID: { PROCESSING: 'STALE', PAID: 'STALE', FAILED: 'CONTRADICTION', REVERSED: 'REVERSED' },
  FAILED: unpaidVerdicts,
  // A REFUSED attempt was never accepted, so the provider can't be processing it.
  REFUSED: { ...unpaidVerdicts, PROCESSING: 'CONTRADICTION' },
  // The attempt is final, so later reports are ignored.
  REVERSED: { PROCESSING: 'STALE', PAID: 'STALE', FAILED: 'STALE', REVERSED: 'STALE' },
};

export const openAttemptStatuses = ['INTENDED', 'UNKNOWN', 'PROCESSING'] as const;
type OpenAttemptStatus = (typeof openAttemptStatuses)[number];

/** Returns true while the outcome of the attempt is not known. */
export const isOpenAttempt = (status: AttemptStatus): status is OpenAttemptStatus =>
  openAttemptStatuses.some((openStatus) => openStatus === status);

/** Columns that change with a payout's state. Omitted columns keep their values. */
type PayoutChanges = Pick<
  Prisma.PayoutUncheckedUpdateManyInput,
  | 'attempt'
  | 'provider'
  | 'dispatchedAt'
  | 'bankAccountId'
  | 'approvalRequired'
  | 'hold'
  | 'approvedBy'
  | 'approvedAt'
  | 'providerPayoutId'
  | 'utr'
  | 'failureReason'
  | 'paidAt'
>;

interface PayoutTransition {
  readonly to: PayoutStatus;
  /** The actor of the transition: `service`, `payout-provider:<code>` or `admin:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly now: Date;
  readonly changes: PayoutChanges;
}

/**
 * Changes the state of a payout that the transaction has locked. No other function changes the state
 * of a payout.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const transitionPayout = (
  { logger }: { readonly logger: Logger },
  tx: Db,
  { id, status: from, attempt }: Pick<Payout, 'id' | 'status' | 'attempt'>,
  { to, actor, cause, now, changes }: PayoutTransition,
): Promise<void> => {
  const machine = { name: 'payout', idField: 'payoutId', table: payoutTransitions, logger };
  return transition(machine, {
    id,
    from,
    to,
    actor,
    cause,
    update: async () => {
      const { count } = await tx.payout.updateMany({
        where: { id, status: from, attempt },
        data: { ...changes, status: to, updatedAt: now },
      });
      return count;
    },
  });
};
